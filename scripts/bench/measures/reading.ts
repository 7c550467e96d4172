import { TagHex } from "../../../src/shared/dicom/tags.ts";
import type { BenchRun } from "../bench-run.ts";
import { startLoopbackServer } from "../limits.ts";
import { rawRequest } from "../raw-http.ts";
import type { ReferenceStudy } from "../reference.ts";
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
  const reference = await referenceDownloadRate(run);
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
    ...(reference !== undefined && { reference }),
    target: { of: "ratio", atLeast: 0.9 },
    targetText: "≥ 0.9×",
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

async function referenceDownloadRate(run: BenchRun): Promise<number | undefined> {
  const study = await referenceStudy(run);
  if (!study) return undefined;
  const startedAt = performance.now();
  const answer = await fetch(study.archiveUrl);
  if (!answer.ok || !answer.body) throw new Error(`download from the reference archive: ${answer.status}`);
  let bytes = 0;
  for await (const chunk of answer.body) bytes += chunk.length;
  return bytes / MEGABYTE / ((performance.now() - startedAt) / 1000);
}

const METADATA_REQUESTS = 15;
const CODINGS = ["zstd", "br", "gzip", "identity"] as const;

/** DICOM JSON of a series of 1,000 instances, in every content coding. */
export async function* measureMetadata(run: BenchRun): AsyncGenerator<Result> {
  const { url } = await run.server();
  const admin = await run.admin();
  const study = await run.longStudy();
  const [series] = await admin.series(study.id);
  const referenceMs = await timeReferenceMetadata(run);
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
    yield {
      measure: `metadata.${coding}`,
      title: `series metadata, 1,000 instances, ${coding}`,
      value: median(times),
      unit: "ms",
      ...(referenceMs !== undefined && { reference: referenceMs }),
      target: { of: "value", atMost: 10 },
      targetText: "≤ 10 ms",
      details: { firstMs: times[0] ?? 0, worstMs: Math.max(...times) },
    };
    yield {
      measure: `metadata.${coding}.wire`,
      title: `series metadata on the wire, ${coding}`,
      value: wireBytes / 1000,
      unit: "kB",
      ...(coding !== "identity" && { target: { of: "value", atMost: 300 } as const, targetText: "≤ 300 kB" }),
    };
  }
}

/** The median of a few requests without a coding, which the reference does not offer. */
async function timeReferenceMetadata(run: BenchRun): Promise<number | undefined> {
  const study = await referenceStudy(run);
  if (!study) return undefined;
  const times: number[] = [];
  for (let repetition = 0; repetition < REFERENCE_REQUESTS; repetition++) {
    const startedAt = performance.now();
    const answer = await fetch(study.metadataUrl, { headers: { Accept: "application/dicom+json" } });
    await answer.bytes();
    if (!answer.ok) throw new Error(`metadata of the reference archive: ${answer.status}`);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

const REFERENCE_REQUESTS = 3;

async function referenceStudy(run: BenchRun): Promise<ReferenceStudy | undefined> {
  const reference = await run.reference();
  return await reference?.onlyStudy(await run.corpora.stored());
}

const FRAME_SECONDS = 6;
/** To Bun.serve that answers as many bytes from memory. */
const FRAME_RATIOS = { 1: 0.5, 16: 0.7 } as const;

/** Frames in the form that the viewer asks for, at random among 1,000 instances. */
export async function* measureFrames(run: BenchRun): AsyncGenerator<Result> {
  const { url } = await run.server();
  const urls = await frameUrls(run, url);
  await using loopback = await startLoopbackServer("");
  const archived = await referenceStudy(run);
  const headers = { Accept: "multipart/related; type=application/octet-stream; transfer-syntax=*" };
  for (const connections of [1, 16] as const) {
    const options = { headers, connections, seconds: FRAME_SECONDS };
    const bare = await run.load.run({ ...options, urls: [`${loopback.url}/frame`], seconds: 3 });
    const ours = await run.load.run({ ...options, urls });
    const reference = archived && (await run.load.run({ ...options, urls: archived.frameUrls, seconds: 3 }));
    const ratio = FRAME_RATIOS[connections];
    yield {
      measure: `frames.${connections}`,
      title: `frames 512 KiB, ${connections} client${connections > 1 ? "s" : ""} (${run.load.name})`,
      value: ours.requestsPerSecond,
      unit: "/s",
      limit: { what: "Bun.serve, 512 KiB from memory", value: bare.requestsPerSecond },
      ...(reference && { reference: reference.requestsPerSecond }),
      target: { of: "ratio", atLeast: ratio },
      targetText: `≥ ${ratio}×`,
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
