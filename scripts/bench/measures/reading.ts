import { TagHex } from "../../../src/shared/dicom/tags.ts";
import type { BenchRun } from "../bench-run.ts";
import { startLoopbackServer } from "../limits.ts";
import { rawRequest } from "../raw-http.ts";
import type { Result } from "../result.ts";
import { median } from "../statistics.ts";

const MEGABYTE = 1e6;
const DOWNLOADS = 5;

/** A study's file against the same bytes from a bare Bun.serve, one after the other. */
export async function* measureDownload(run: BenchRun): AsyncGenerator<Result> {
  const { url } = await run.server();
  const { headers } = await run.admin();
  const { id } = await run.longStudy();
  await using loopback = await startLoopbackServer(await run.corpora.stored());
  const rates: number[] = [];
  const limits: number[] = [];
  const firstBytesMs: number[] = [];
  for (let repetition = 0; repetition < DOWNLOADS; repetition++) {
    const bare = await rawRequest({ url: `${loopback.url}/file` });
    limits.push(bare.bodyBytes / MEGABYTE / (bare.totalMs / 1000));
    const ours = await rawRequest({ url: `${url}/api/studies/${id}/download`, headers });
    if (ours.status !== 200) throw new Error(`download: ${ours.status}`);
    rates.push(ours.bodyBytes / MEGABYTE / (ours.totalMs / 1000));
    firstBytesMs.push(ours.firstByteMs);
  }
  yield {
    measure: "download.rate",
    title: "study download, 1,000 slices",
    value: median(rates),
    unit: "MB/s",
    limit: { what: "Bun.serve, same bytes", value: median(limits) },
    target: { of: "ratio", atLeast: 0.5 },
    targetText: "≥ 0.5×",
    details: { rates: rates.map(Math.round).join(" "), limits: limits.map(Math.round).join(" ") },
  };
  yield {
    measure: "download.firstByte",
    title: "study download, first byte (median; worst in details)",
    value: median(firstBytesMs),
    unit: "ms",
    target: { of: "value", atMost: 30 },
    targetText: "≤ 30 ms",
    details: { worstMs: Math.max(...firstBytesMs) },
  };
}

const METADATA_REQUESTS = 15;
const CODINGS = ["zstd", "br", "gzip", "identity"] as const;

/** DICOM JSON of a series of 1,000 instances, in every content coding. */
export async function* measureMetadata(run: BenchRun): AsyncGenerator<Result> {
  const { url } = await run.server();
  const admin = await run.admin();
  const study = await run.longStudy();
  const [series] = await admin.series(study.id);
  const path = `${await admin.dicomweb(study.id)}/studies/${study.studyInstanceUID}/series/${series?.seriesInstanceUID}`;
  for (const coding of CODINGS) {
    const headers = { Accept: "application/dicom+json", "Accept-Encoding": coding };
    const times: number[] = [];
    let wireBytes = 0;
    for (let repetition = 0; repetition < METADATA_REQUESTS; repetition++) {
      const answer = await rawRequest({ url: `${url}${path}/metadata`, headers });
      if (answer.status !== 200) throw new Error(`metadata: ${answer.status}`);
      times.push(answer.totalMs);
      wireBytes = answer.bodyBytes;
    }
    const isCompressed = coding !== "identity";
    yield {
      measure: `metadata.${coding}`,
      title: `series metadata, 1,000 instances, ${coding}`,
      value: median(times),
      unit: "ms",
      ...(isCompressed && { target: { of: "value", atMost: 30 } as const, targetText: "≤ 30 ms" }),
      details: { firstMs: times[0] ?? 0, worstMs: Math.max(...times) },
    };
    yield {
      measure: `metadata.${coding}.wire`,
      title: `series metadata on the wire, ${coding}`,
      value: wireBytes / 1000,
      unit: "kB",
      ...(isCompressed && { target: { of: "value", atMost: 300 } as const, targetText: "≤ 300 kB" }),
    };
  }
}

const FRAME_SECONDS = 6;
/** Frames a second of the reference archive, by clients. */
const REFERENCE_FRAMES = { 1: 559, 16: 799 } as const;

/** Frames in the form that the viewer asks for, at random among 1,000 instances. */
export async function* measureFrames(run: BenchRun): AsyncGenerator<Result> {
  const { url } = await run.server();
  const urls = await frameUrls(run, url);
  await using loopback = await startLoopbackServer("");
  const headers = { Accept: "multipart/related; type=application/octet-stream; transfer-syntax=*" };
  for (const connections of [1, 16] as const) {
    const options = { headers, connections, seconds: FRAME_SECONDS };
    const bare = await run.load.run({ ...options, urls: [`${loopback.url}/frame`], seconds: 3 });
    const ours = await run.load.run({ ...options, urls });
    const reference = REFERENCE_FRAMES[connections];
    yield {
      measure: `frames.${connections}`,
      title: `frames 512 KiB, ${connections} client${connections > 1 ? "s" : ""} (${run.load.name})`,
      value: ours.requestsPerSecond,
      unit: "/s",
      limit: { what: "Bun.serve, 512 KiB from memory", value: bare.requestsPerSecond },
      target: { of: "value", atLeast: 2 * reference },
      targetText: `≥ ${2 * reference}/s (2 × reference)`,
      details: { p50Ms: ours.p50Ms, p95Ms: ours.p95Ms, failures: ours.failures },
    };
  }
}

async function frameUrls(run: BenchRun, url: string): Promise<string[]> {
  const admin = await run.admin();
  const study = await run.longStudy();
  const [series] = await admin.series(study.id);
  const base = `${await admin.dicomweb(study.id)}/studies/${study.studyInstanceUID}/series/${series?.seriesInstanceUID}`;
  const metadata = await admin.json<Record<string, { Value?: string[] }>[]>(`${base}/metadata`);
  return metadata.map(
    (instance) => `${url}${base}/instances/${instance[TagHex.SOPInstanceUID]?.Value?.[0]}/frames/1`,
  );
}
