import { open } from "node:fs/promises";
import { readAt } from "../../../src/server/storage/disk/durable-file.ts";
import { chunkBytes, type ResumableUploadState } from "../../../src/shared/api/resumable.ts";
import { registerClient } from "../api-client.ts";
import type { BenchRun } from "../bench-run.ts";
import { sampleTree, untilIdle } from "../process-tree.ts";
import { rawRequest } from "../raw-http.ts";
import type { Result } from "../result.ts";
import { median } from "../statistics.ts";

const REPETITIONS = 3;
const MEGABYTE = 1e6;
const POLL_MS = 20;

/**
 * The same ZIP in one form, in chunks with checksums and in one request, one after the other, until each is kept. The memory for the
 * chunks is sampled in an upload of its own: sampling takes a third of a core.
 */
export async function* measureResumable(run: BenchRun): AsyncGenerator<Result> {
  const { url, pid } = await run.server();
  const zipPath = await run.corpora.stored();
  const chunks: number[] = [];
  const forms: number[] = [];
  const wholes: number[] = [];
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    const sender = await registerClient(url);
    const { answer, milliseconds } = await sender.upload(zipPath);
    forms.push(milliseconds / 1000);
    await sender.settle(answer);
    await untilIdle(pid);
    chunks.push(await timeUpload(url, zipPath, sendInChunks));
    await untilIdle(pid);
    wholes.push(await timeUpload(url, zipPath, sendAtOnce));
    await untilIdle(pid);
  }
  const sampler = sampleTree(pid);
  await timeUpload(url, zipPath, sendInChunks);
  const { pssBytes } = sampler.stop();
  const size = Math.round(Bun.file(zipPath).size / MEGABYTE);
  const inText = (seconds: readonly number[]) => seconds.map((one) => one.toFixed(2)).join(" ");
  const rows = [
    { name: "seconds", how: "in chunks of 8 MiB, each with SHA-256", seconds: chunks },
    { name: "whole", how: "in one request, as tus clients send by default", seconds: wholes },
  ] as const;
  for (const { name, how, seconds } of rows) {
    yield {
      measure: `resumable.${name}`,
      title: `${size} MB ${how}, until it is kept`,
      value: median(seconds),
      unit: "s",
      limit: { what: "POST /api/upload-dicom", value: median(forms) },
      target: { of: "ratio", atMost: 1.25 },
      targetText: "≤ 1.25× (throughput ≥ 0.8)",
      details: { seconds: inText(seconds), forms: inText(forms) },
    };
  }
  yield {
    measure: "resumable.pss",
    title: `peak memory meanwhile, PSS`,
    value: pssBytes / MEGABYTE,
    unit: "MB",
    target: { of: "value", atMost: 400 },
    targetText: "≤ 400 MB",
  };
}

/** A resumable upload that its sender made. */
interface Sending {
  url: string;
  headers: Record<string, string>;
  zipPath: string;
}

/** Returns the seconds until the exam is kept. */
async function timeUpload(
  url: string,
  zipPath: string,
  send: (sending: Sending) => Promise<void>,
): Promise<number> {
  const { headers, json } = await registerClient(url);
  const tus = { ...headers, "Tus-Resumable": "1.0.0" };
  const startedAt = performance.now();
  const created = await fetch(`${url}/api/uploads`, {
    method: "POST",
    headers: { ...tus, "Upload-Length": String(Bun.file(zipPath).size) },
  });
  const path = created.headers.get("location") ?? "";
  await send({ url: url + path, headers: tus, zipPath });
  for (;;) {
    const { state, problem } = await json<ResumableUploadState>(path);
    if (state === "done") return (performance.now() - startedAt) / 1000;
    if (state === "failed") throw new Error(`upload: ${problem?.code}`);
    await Bun.sleep(POLL_MS);
  }
}

async function sendInChunks({ url, headers, zipPath }: Sending): Promise<void> {
  await using zip = await openChunks(zipPath);
  let next: Promise<Chunk> | undefined = zip.read(0);
  for (let offset = 0; next; offset += chunkBytes) {
    const { bytes, sum } = await next;
    const sending = patch(url, { ...headers, "Upload-Checksum": `sha256 ${sum}` }, offset, bytes);
    next = offset + chunkBytes < zip.sizeBytes ? zip.read(offset + chunkBytes) : undefined;
    await sending;
  }
}

async function sendAtOnce({ url, headers, zipPath }: Sending): Promise<void> {
  await patch(url, headers, 0, { path: zipPath });
}

/** By the same client as the form. */
async function patch(
  url: string,
  headers: Record<string, string>,
  offset: number,
  body: Uint8Array | { path: string },
): Promise<void> {
  const { status } = await rawRequest({
    url,
    method: "PATCH",
    headers: {
      ...headers,
      "Content-Type": "application/offset+octet-stream",
      "Upload-Offset": String(offset),
    },
    body: [body],
  });
  if (status !== 204) throw new Error(`chunk: ${status}`);
}

interface Chunk {
  bytes: Uint8Array<ArrayBuffer>;
  /** SHA-256 in base64. */
  sum: string;
}

interface Chunks extends AsyncDisposable {
  sizeBytes: number;
  /** Reads and sums a chunk while the one before it is sent, as the browser does. Valid until the next but one is read. */
  read(offset: number): Promise<Chunk>;
}

async function openChunks(path: string): Promise<Chunks> {
  const file = await open(path);
  const { size: sizeBytes } = await file.stat();
  // Two buffers, so that the client's own cost stays small beside the server's.
  const buffers = [new Uint8Array(chunkBytes), new Uint8Array(chunkBytes)] as const;
  return {
    sizeBytes,
    async read(offset) {
      const buffer = buffers[(offset / chunkBytes) % 2 === 0 ? 0 : 1];
      const filled = await readAt(file, offset, buffer.subarray(0, Math.min(chunkBytes, sizeBytes - offset)));
      const bytes = buffer.subarray(0, filled);
      return { bytes, sum: Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("base64") };
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}
