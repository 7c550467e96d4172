import { join } from "node:path";
import { createEncoder, type Raster } from "../../../src/server/features/derivatives/worker/htj2k-encoder.ts";
import { readCodec } from "../../../src/server/features/thumbnails/worker/read-codec.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { TransferSyntax } from "../../../src/shared/dicom/transfer-syntax.ts";
import { createCodecs } from "../../../src/shared/pixels/wasm-codec.ts";
import { type ApiClient, adminClient } from "../api-client.ts";
import type { BenchRun } from "../bench-run.ts";
import type { Result } from "../result.ts";
import { startServerUnderTest } from "../server-under-test.ts";
import { bytesOfObjects } from "./ingest.ts";

const COPY = `image/jphc; transfer-syntax=${TransferSyntax.htJpeg2000Rpcl}`;
const STORED = "application/octet-stream; transfer-syntax=*";
const READ_FRAMES = 40;
const COPIED_TIMEOUT_MS = 8 * 60_000;

/** What the lossless HTJ2K copy of 200 slices costs at rest and saves on the wire, and how long a slice takes. */
export async function* measureDerivatives(run: BenchRun): AsyncGenerator<Result> {
  const zipPath = await run.corpora.short();
  const server = await startServerUnderTest(join(run.folder, "copied"), { derivatives: "on" });
  const admin = await adminClient(server.url);
  const { answer } = await admin.upload(zipPath);
  await admin.settle(answer);
  const frames = await frameUrls(server.url, admin, answer.studies[0]);
  const seconds = await waitForCopy(frames);
  const atRest = await bytesOfObjects(server.dataDir);
  yield {
    measure: "derivatives.rest",
    title: "bytes at rest / bytes uploaded, with derivative",
    value: atRest / Bun.file(zipPath).size,
    unit: "×",
    details: { bytesAtRest: atRest, secondsUntilThere: seconds },
  };
  const wire = { copied: 0, stored: 0 };
  for (const url of frames.slice(0, READ_FRAMES)) {
    wire.copied += (await readFrame(url, COPY)).length;
    wire.stored += (await readFrame(url, STORED)).length;
  }
  yield {
    measure: "derivatives.wire",
    title: "CT on the wire for viewing, of the bytes as stored",
    value: (100 * wire.copied) / wire.stored,
    unit: "%",
    target: { of: "value", atMost: 25 },
    targetText: "≤ 25 %",
  };
  const native = await Promise.all(frames.slice(0, READ_FRAMES).map((url) => readFrame(url, STORED)));
  await server[Symbol.asyncDispose]();
  yield* timeSlices(native);
}

type Study = { id: string; studyInstanceUID: string } | undefined;

export async function frameUrls(url: string, admin: ApiClient, study: Study): Promise<string[]> {
  if (!study) throw new Error("the corpus holds no study");
  const [series] = await admin.series(study.id);
  const base = `${await admin.dicomweb(study.id)}/studies/${study.studyInstanceUID}/series/${series?.seriesInstanceUID}`;
  const metadata = await admin.json<Record<string, { Value?: string[] }>[]>(`${base}/metadata`);
  return metadata.map(
    (instance) => `${url}${base}/instances/${instance[TagHex.SOPInstanceUID]?.Value?.[0]}/frames/1`,
  );
}

async function readFrame(url: string, accept: string): Promise<Uint8Array> {
  const answer = await fetch(url, { headers: { Accept: accept } });
  if (!answer.ok) throw new Error(`a frame was answered ${answer.status}`);
  return await answer.bytes();
}

/** How many seconds after the upload the copy was there. */
export async function waitForCopy([first = ""]: string[]): Promise<number> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < COPIED_TIMEOUT_MS) {
    const answer = await fetch(first, { headers: { Accept: `${COPY}, ${STORED}` } });
    await answer.bytes();
    if (answer.headers.get("content-type")?.startsWith("image/jphc"))
      return Math.round((performance.now() - startedAt) / 1000);
    await Bun.sleep(500);
  }
  throw new Error("the series got no copy");
}

async function* timeSlices(native: Uint8Array[]): AsyncGenerator<Result> {
  const encode = createEncoder();
  const codecs = createCodecs(readCodec);
  const times = { encode: [] as number[], decode: [] as number[] };
  for (const bytes of native) {
    const samples = new Int16Array(bytes.slice().buffer);
    const side = Math.sqrt(samples.length);
    const shape = { rows: side, columns: side, samplesPerPixel: 1 };
    const raster: Raster = { ...shape, samples, bits: 16, isSigned: true };
    const begun = performance.now();
    const codeStream = await encode(raster);
    const encoded = performance.now();
    await codecs.decode("htJpeg2000", codeStream);
    times.encode.push(encoded - begun);
    times.decode.push(performance.now() - encoded);
  }
  for (const [name, all] of Object.entries(times)) {
    const sorted = all.toSorted((a, b) => a - b);
    yield {
      measure: `derivatives.${name}`,
      title: `HTJ2K ${name} of a slice of 512 × 512, median`,
      value: sorted[Math.floor(sorted.length / 2)] ?? 0,
      unit: "ms",
    };
  }
}
