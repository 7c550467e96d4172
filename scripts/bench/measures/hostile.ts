import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { readEverything, storeBombs, watchHealth } from "../../../test/support/program/hostile-readers.ts";
import { spawnServer } from "../../../test/support/program/server-process.ts";
import type { BenchRun } from "../bench-run.ts";
import { measureTree, sampleTree } from "../process-tree.ts";
import type { Result } from "../result.ts";

const READING_MS = 12_000;
const MEGABYTE = 1e6;

/** What others notice while eight clients read everything that was stored to be read badly. */
export async function* measureHostileReading(run: BenchRun): AsyncGenerator<Result> {
  const dataDir = join(run.folder, "hostile");
  await mkdir(dataDir, { mode: 0o711 });
  await using server = await spawnServer(dataDir);
  const account = await storeBombs(server, dataDir);
  const idle = measureTree(server.pid);
  const sampler = sampleTree(server.pid);
  const health = await watchHealth(server);
  const statuses = await readEverything(server, account, READING_MS);
  const longestMs = await health.stop();
  const peak = sampler.stop();
  const details = Object.fromEntries([...statuses].map(([status, count]) => [`status ${status}`, count]));
  yield {
    measure: "hostile.health",
    title: "longest answer of /api/health beside eight hostile readers",
    value: longestMs,
    unit: "ms",
    target: { of: "value", atMost: 500 },
    targetText: "≤ 500 ms",
    details,
  };
  yield {
    measure: "hostile.memory",
    title: "memory of the whole tree beside eight hostile readers, PSS over idle",
    value: (peak.pssBytes - idle.pssBytes) / MEGABYTE,
    unit: "MB",
    target: { of: "value", atMost: 400 },
    targetText: "≤ 400 MB",
  };
}
