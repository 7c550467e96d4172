import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { BenchRun } from "../bench-run.ts";
import type { Result } from "../result.ts";
import { serverCommand } from "../server-under-test.ts";

const GIGABYTES = Number(process.env.BENCH_GB ?? 2);
const GIGABYTES_OF_STUDY = 0.526;

/** Backup and verification of an archive against what copies and hashes the same files. */
export async function* measureSafekeeping(run: BenchRun): AsyncGenerator<Result> {
  const { dataDir } = await run.server();
  const admin = await run.admin();
  for (let number = 0; number < Math.max(1, Math.round(GIGABYTES / GIGABYTES_OF_STUDY)); number++) {
    const zip = await run.corpora.numbered(number);
    const { answer } = await admin.upload(zip);
    await admin.settle(answer);
    await rm(zip);
  }
  const objects = join(dataDir, "objects");
  const copy = join(run.folder, "copy");
  const backup = join(run.folder, "backup");
  const bare = await seconds("sh", "-c", 'cp -r "$0" "$1" && sync', objects, copy);
  await rm(copy, { recursive: true });
  const first = await command(dataDir, "backup", backup);
  const second = await command(dataDir, "backup", backup);
  const hashing = await seconds("find", objects, "-type", "f", "-exec", "sha256sum", "{}", "+");
  const verifying = await command(dataDir, "verify", "--json");
  const shared = { unit: "s", details: { gigabytes: GIGABYTES } };
  yield {
    ...shared,
    measure: "safekeeping.backup",
    title: "backup of a running server",
    value: first,
    limit: { what: "cp -r and sync", value: bare },
    target: { of: "ratio", atMost: 2 },
    targetText: "≤ 2×",
  };
  yield {
    ...shared,
    measure: "safekeeping.again",
    title: "the next backup into the same folder",
    value: second,
    limit: { what: "the first", value: first },
    target: { of: "ratio", atMost: 0.05 },
    targetText: "≤ 0.05×",
  };
  yield {
    ...shared,
    measure: "safekeeping.verify",
    title: "verify, every byte",
    value: verifying,
    limit: { what: "sha256sum of each file", value: hashing },
    target: { of: "ratio", atMost: 1 / 0.7 },
    targetText: "≤ 1.43×",
  };
}

async function command(dataDir: string, ...args: string[]): Promise<number> {
  const program = serverCommand().slice(0, -1);
  return await seconds("env", `DATA_DIR=${dataDir}`, ...program, ...args);
}

/** How long a program runs. @throws if it fails */
async function seconds(...words: string[]): Promise<number> {
  const startedAt = performance.now();
  const child = Bun.spawn(words, { stdio: ["ignore", "ignore", "inherit"] });
  if ((await child.exited) !== 0) throw new Error(`${words.join(" ")} failed`);
  return (performance.now() - startedAt) / 1000;
}
