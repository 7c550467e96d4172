import type { BenchRun } from "../bench-run.ts";
import { measureTree } from "../process-tree.ts";
import type { Result } from "../result.ts";
import { median } from "../statistics.ts";

const STARTS = 3;
/** Time for the first timers and garbage collections to pass. */
const REST_MS = 5_000;
const MEGABYTE = 1e6;

/** The start on the data that the other measures left, and the memory of the idle server. */
export async function* measureStart(run: BenchRun): AsyncGenerator<Result> {
  await run.server();
  const startsMs: number[] = [];
  const stopsMs: number[] = [];
  for (let repetition = 0; repetition < STARTS; repetition++) {
    const stoppedAt = performance.now();
    await run.stopServer();
    stopsMs.push(performance.now() - stoppedAt);
    startsMs.push((await run.server()).startMs);
  }
  yield {
    measure: "start",
    title: `start on existing data to healthy (${process.env.BENCH_EXECUTABLE ? "executable" : "from source"})`,
    value: median(startsMs) / 1000,
    unit: "s",
    target: { of: "value", atMost: 0.5 },
    targetText: "≤ 0.5 s",
    details: { milliseconds: startsMs.map(Math.round).join(" ") },
  };
  yield {
    measure: "stop",
    title: "end after SIGTERM",
    value: median(stopsMs) / 1000,
    unit: "s",
    target: { of: "value", atMost: 10 },
    targetText: "≤ 10 s",
    details: { milliseconds: stopsMs.map(Math.round).join(" ") },
  };
  await Bun.sleep(REST_MS);
  const { pid } = await run.server();
  const resting = measureTree(pid);
  yield {
    measure: "idle.pss",
    title: "idle memory of the whole tree, PSS",
    value: resting.pssBytes / MEGABYTE,
    unit: "MB",
    target: { of: "value", atMost: 100 },
    targetText: "≤ 100 MB",
  };
  yield {
    measure: "idle.rss",
    title: "idle memory of the whole tree, sum of RSS",
    value: resting.rssBytes / MEGABYTE,
    unit: "MB",
  };
}
