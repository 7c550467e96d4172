import { stat } from "node:fs/promises";
import { join } from "node:path";
import { registerClient } from "../api-client.ts";
import type { BenchRun } from "../bench-run.ts";
import { timeBsdtar } from "../limits.ts";
import { cpuSeconds, sampleTree, untilIdle } from "../process-tree.ts";
import type { Result } from "../result.ts";
import { median, percentile } from "../statistics.ts";

const REPETITIONS = 3;
const MEGABYTE = 1e6;

/** ZIP ingest against unpacking the same ZIP onto the same disk, one after the other. */
export async function* measureIngest(run: BenchRun): AsyncGenerator<Result> {
  yield await measureZip(run, "stored", await run.corpora.stored(), 1);
  yield await measureZip(run, "deflated", await run.corpora.deflated(), 0.5);
}

async function measureZip(run: BenchRun, name: string, zipPath: string, atMost: number): Promise<Result> {
  const { url, pid } = await run.server();
  const limits: number[] = [];
  const seconds: number[] = [];
  const cpuBefore = cpuSeconds(pid);
  const { size } = Bun.file(zipPath);
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    const limit = await timeBsdtar(zipPath, run.folder);
    if (limit !== undefined) limits.push(limit);
    // Each upload goes to a new account, so that the same study is new each time.
    const client = await registerClient(url);
    const { answer, milliseconds } = await client.upload(zipPath);
    seconds.push(milliseconds / 1000);
    await client.settle(answer);
  }
  const reference = await run.reference();
  await reference?.clear();
  const referenceMs = await reference?.upload(zipPath);
  return {
    measure: `ingest.${name}`,
    title: `ZIP ingest, 1,000 CT slices, ${Math.round(size / MEGABYTE)} MB ${name}`,
    value: median(seconds),
    unit: "s",
    ...(limits.length > 0 && { limit: { what: "bsdtar -xf + sync", value: median(limits) } }),
    ...(referenceMs !== undefined && { reference: referenceMs / 1000 }),
    target: { of: "ratio", atMost },
    targetText: `≤ ${atMost}×`,
    details: {
      seconds: seconds.map((one) => one.toFixed(2)).join(" "),
      limitSeconds: limits.map((one) => one.toFixed(2)).join(" "),
      cpuSecondsEach: (cpuSeconds(pid) - cpuBefore) / REPETITIONS,
    },
  };
}

/** The peak memory of the whole process tree during the largest upload. */
export async function* measureMemory(run: BenchRun): AsyncGenerator<Result> {
  const { url, pid } = await run.server();
  const zipPath = await run.corpora.large();
  const client = await registerClient(url);
  const sampler = sampleTree(pid);
  const { answer, milliseconds } = await client.upload(zipPath);
  await client.settle(answer);
  const peak = sampler.stop();
  const title = `peak memory, ${(Bun.file(zipPath).size / 1e9).toFixed(1)} GB ZIP`;
  const details = { uploadSeconds: milliseconds / 1000 };
  yield {
    measure: "memory.pss",
    title: `${title}, PSS`,
    value: peak.pssBytes / MEGABYTE,
    unit: "MB",
    target: { of: "value", atMost: 300 },
    targetText: "≤ 300 MB",
    details,
  };
  yield {
    measure: "memory.rss",
    title: `${title}, sum of RSS`,
    value: peak.rssBytes / MEGABYTE,
    unit: "MB",
    details,
  };
}

const SMALL_ROUNDS = 3;
const SMALL_AT_ONCE = 4;

/** Many small studies, four uploads at a time, to both servers by turns. */
export async function* measureSmallUploads(run: BenchRun): AsyncGenerator<Result> {
  const admin = await run.admin();
  const reference = await run.reference();
  await reference?.clear();
  const rates: number[] = [];
  const referenceRates: number[] = [];
  const latenciesMs: number[] = [];
  for (let round = 0; round < SMALL_ROUNDS; round++) {
    const paths = await run.corpora.small(round);
    const ours = await sendAll(paths, async (path) => (await admin.upload(path)).milliseconds);
    rates.push(ours.perSecond);
    latenciesMs.push(...ours.milliseconds);
    await untilIdle((await run.server()).pid);
    if (reference) referenceRates.push((await sendAll(paths, reference.upload)).perSecond);
  }
  const title = "100 small-study ZIPs, 4 at once";
  yield {
    measure: "small.rate",
    title,
    value: median(rates),
    unit: "uploads/s",
    ...(reference && { reference: median(referenceRates) }),
    target: { of: "reference", atLeast: 2 },
    targetText: "≥ 2 × reference",
    details: {
      rounds: rates.map((rate) => rate.toFixed(1)).join(" "),
      referenceRounds: referenceRates.map((rate) => rate.toFixed(1)).join(" "),
      p50Ms: percentile(latenciesMs, 0.5),
    },
  };
  yield {
    measure: "small.p95",
    title: `${title}, p95 (p50 ${percentile(latenciesMs, 0.5).toFixed(0)} ms)`,
    value: percentile(latenciesMs, 0.95),
    unit: "ms",
    target: { of: "value", atMost: 100 },
    targetText: "≤ 100 ms",
  };
}

async function sendAll(
  paths: readonly string[],
  send: (path: string) => Promise<number>,
): Promise<{ perSecond: number; milliseconds: number[] }> {
  const waiting = [...paths];
  const milliseconds: number[] = [];
  const startedAt = performance.now();
  const sendWaiting = async () => {
    for (let path = waiting.pop(); path; path = waiting.pop()) milliseconds.push(await send(path));
  };
  await Promise.all(Array.from({ length: SMALL_AT_ONCE }, sendWaiting));
  return { perSecond: paths.length / ((performance.now() - startedAt) / 1000), milliseconds };
}

/** The size of a study in the archive store, for each kind of ZIP that was sent. */
export async function* measureBytesAtRest(run: BenchRun): AsyncGenerator<Result> {
  const { url, dataDir } = await run.server();
  for (const [name, zipPath] of [
    ["deflated", await run.corpora.deflated()],
    ["stored", await run.corpora.stored()],
  ] as const) {
    const before = await bytesOfObjects(dataDir);
    const client = await registerClient(url);
    const { answer } = await client.upload(zipPath);
    await client.settle(answer);
    await waitUntilStagingIsEmpty(dataDir);
    const kept = (await bytesOfObjects(dataDir)) - before;
    yield {
      measure: `rest.${name}`,
      title: `bytes at rest / bytes uploaded (${name})`,
      value: kept / Bun.file(zipPath).size,
      unit: "×",
      target: { of: "value", atMost: 1.05 },
      targetText: "≤ 1.05",
      details: { bytesAtRest: kept },
    };
  }
}

export async function bytesOfObjects(dataDir: string): Promise<number> {
  let bytes = 0;
  for (const folder of ["objects", "staging"]) {
    const glob = new Bun.Glob("**/*");
    for await (const path of glob.scan({ cwd: join(dataDir, folder), absolute: true }))
      bytes += (await stat(path)).size;
  }
  return bytes;
}

async function waitUntilStagingIsEmpty(dataDir: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const files = await Array.fromAsync(new Bun.Glob("**/*").scan({ cwd: join(dataDir, "staging") }));
    if (files.length === 0) return;
    await Bun.sleep(50);
  }
}
