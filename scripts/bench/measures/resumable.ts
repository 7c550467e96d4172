import { chunkBytes, type ResumableUploadState } from "../../../src/shared/api/resumable.ts";
import { type ApiClient, registerClient } from "../api-client.ts";
import type { BenchRun } from "../bench-run.ts";
import { sampleTree } from "../process-tree.ts";
import type { Result } from "../result.ts";
import { median } from "../statistics.ts";

const REPETITIONS = 3;
const MEGABYTE = 1e6;
const POLL_MS = 20;

/** The same ZIP in chunks with checksums and in one form, one after the other, until each is kept; and the memory for the chunks. */
export async function* measureResumable(run: BenchRun): AsyncGenerator<Result> {
  const { url, pid } = await run.server();
  const zipPath = await run.corpora.stored();
  const chunks: number[] = [];
  const forms: number[] = [];
  let peakBytes = 0;
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    const sender = await registerClient(url);
    const { answer, milliseconds } = await sender.upload(zipPath);
    forms.push(milliseconds / 1000);
    await sender.settle(answer);
    const other = await registerClient(url);
    const sampler = sampleTree(pid);
    chunks.push(await sendInChunks(url, other, zipPath));
    peakBytes = Math.max(peakBytes, sampler.stop().pssBytes);
  }
  const size = Math.round(Bun.file(zipPath).size / MEGABYTE);
  yield {
    measure: "resumable.seconds",
    title: `${size} MB in chunks of 8 MiB, each with SHA-256, until it is kept`,
    value: median(chunks),
    unit: "s",
    limit: { what: "POST /api/upload-dicom", value: median(forms) },
    target: { of: "ratio", atMost: 1.25 },
    targetText: "≤ 1.25× (throughput ≥ 0.8)",
    details: {
      chunks: chunks.map((one) => one.toFixed(2)).join(" "),
      forms: forms.map((one) => one.toFixed(2)).join(" "),
    },
  };
  yield {
    measure: "resumable.pss",
    title: `peak memory meanwhile, PSS`,
    value: peakBytes / MEGABYTE,
    unit: "MB",
    target: { of: "value", atMost: 400 },
    targetText: "≤ 400 MB",
  };
}

/** Returns the seconds until the exam is kept. */
async function sendInChunks(url: string, { headers, json }: ApiClient, zipPath: string): Promise<number> {
  const zip = Bun.file(zipPath);
  const tus = { ...headers, "Tus-Resumable": "1.0.0" };
  const startedAt = performance.now();
  const created = await fetch(`${url}/api/uploads`, {
    method: "POST",
    headers: { ...tus, "Upload-Length": String(zip.size) },
  });
  const path = created.headers.get("location") ?? "";
  let next: Promise<Chunk> | undefined = readChunk(zip, 0);
  for (let offset = 0; next; offset += chunkBytes) {
    const { bytes, sum } = await next;
    const sending = fetch(url + path, {
      method: "PATCH",
      headers: {
        ...tus,
        "Content-Type": "application/offset+octet-stream",
        "Upload-Offset": String(offset),
        "Upload-Checksum": `sha256 ${sum}`,
      },
      body: bytes,
    });
    next = offset + chunkBytes < zip.size ? readChunk(zip, offset + chunkBytes) : undefined;
    const answer = await sending;
    if (answer.status !== 204) throw new Error(`chunk: ${answer.status} ${await answer.text()}`);
  }
  for (;;) {
    const { state, problem } = await json<ResumableUploadState>(path);
    if (state === "done") return (performance.now() - startedAt) / 1000;
    if (state === "failed") throw new Error(`upload: ${problem?.code}`);
    await Bun.sleep(POLL_MS);
  }
}

interface Chunk {
  bytes: ArrayBuffer;
  /** SHA-256 in base64. */
  sum: string;
}

/** Sums a chunk while the one before it is sent, as the browser does. */
async function readChunk(zip: Blob, offset: number): Promise<Chunk> {
  const bytes = await zip.slice(offset, offset + chunkBytes).arrayBuffer();
  const sum = Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("base64");
  return { bytes, sum };
}
