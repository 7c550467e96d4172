import { createReadStream } from "node:fs";
import { Upload } from "tus-js-client";
import { ChunkSize } from "../../../src/client/features/upload/send/chunk-size.ts";
import type { ResumableUploadState } from "../../../src/shared/api/resumable.ts";
import { type ApiClient, adminClient } from "../api-client.ts";
import type { BenchRun } from "../bench-run.ts";
import { measureTree } from "../process-tree.ts";
import type { Result } from "../result.ts";
import { openSlowLine } from "../slow-line.ts";

const MEGABYTE = 1e6;
/** 20 Mbit/s. */
const BYTES_PER_SECOND = 2.5 * MEGABYTE;
const CUT_EVERY_MS = 30_000;
const MEMORY_EVERY_MS = 5_000;
const RETRY_MS = 1_000;
const OUTCOME_POLL_MS = 200;

/** An exam over a slow line that breaks every 30 s, sent as browsers do. 526 MB take four minutes, and 2.1 GB a quarter of an hour. */
export async function* measureLine(run: BenchRun): AsyncGenerator<Result> {
  const zipPath = await (process.env.BENCH_LINE === "large" ? run.corpora.large() : run.corpora.stored());
  const { url, pid } = await run.server();
  const client = await adminClient(url);
  const sizeBytes = Bun.file(zipPath).size;
  await using line = await openSlowLine(url, { bytesPerSecond: BYTES_PER_SECOND, cutEveryMs: CUT_EVERY_MS });
  const memory: number[] = [];
  const sampling = setInterval(() => memory.push(measureTree(pid).pssBytes / MEGABYTE), MEMORY_EVERY_MS);
  const startedAt = performance.now();
  const path = await sendOver(line.url, client, zipPath);
  const sentSeconds = (performance.now() - startedAt) / 1000;
  memory.push(measureTree(pid).pssBytes / MEGABYTE);
  clearInterval(sampling);
  await takenIn(client, path);
  const size = Math.round(sizeBytes / MEGABYTE);
  yield {
    measure: "line.overhead",
    title: `${size} MB over 20 Mbit/s cut every 30 s: bytes beside the exam's`,
    value: (line.carriedBytes / sizeBytes - 1) * 100,
    unit: "%",
    target: { of: "value", atMost: 3 },
    targetText: "≤ 3 %",
    details: { cuts: line.cuts, seconds: Math.round(sentSeconds) },
  };
  yield {
    measure: "line.pss",
    title: "memory of the server meanwhile, highest PSS",
    value: Math.max(...memory),
    unit: "MB",
    details: { lowest: Math.round(Math.min(...memory)), samples: memory.length },
  };
}

/** Sends until all of it is there. Returns the upload's path. */
async function sendOver(url: string, { headers }: ApiClient, zipPath: string): Promise<string> {
  const size = new ChunkSize(performance.now());
  let uploadUrl: string | null = null;
  for (;;) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let sentAt = 0;
    const upload: Upload = new Upload(createReadStream(zipPath), {
      endpoint: `${url}/api/uploads`,
      uploadUrl,
      chunkSize: size.bytes,
      retryDelays: null,
      metadata: { filename: "exames.zip" },
      headers,
      onUploadUrlAvailable: () => {
        uploadUrl = upload.url;
      },
      onBeforeRequest: async (request) => {
        if (request.getMethod() !== "PATCH") return;
        const offset = Number(request.getHeader("Upload-Offset"));
        const chunk = await Bun.file(zipPath)
          .slice(offset, offset + size.bytes)
          .arrayBuffer();
        const sum = new Bun.CryptoHasher("sha256").update(chunk).digest("base64");
        request.setHeader("Upload-Checksum", `sha256 ${sum}`);
        sentAt = performance.now();
      },
      onChunkComplete: (length) => {
        const now = performance.now();
        size.arrived(length, now - sentAt, now);
        upload.options.chunkSize = size.bytes;
      },
      onSuccess: () => resolve(),
      onError: reject,
    });
    upload.start();
    try {
      await promise;
      return new URL(upload.url ?? "").pathname;
    } catch {
      size.wasCut(performance.now());
      await Bun.sleep(RETRY_MS);
    }
  }
}

async function takenIn({ json }: ApiClient, path: string): Promise<void> {
  for (;;) {
    const { state, problem } = await json<ResumableUploadState>(path);
    if (state === "done") return;
    if (state === "failed") throw new Error(`upload: ${problem?.code}`);
    await Bun.sleep(OUTCOME_POLL_MS);
  }
}
