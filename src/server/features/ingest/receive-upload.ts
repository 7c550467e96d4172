import { once } from "node:events";
import type { Readable } from "node:stream";
import { Busboy, type BusboyHeaders } from "@fastify/busboy";
import { type UploadMetadata, uploadMetadataSchema } from "../../../shared/api/upload.ts";
import { AppError } from "../../http/app-error.ts";
import { unsupportedMediaType, validationFailed } from "../../http/http.errors.ts";
import { uploadInterrupted, uploadMissing, uploadNotZip, uploadTooLarge } from "./ingest.errors.ts";

export interface ReceivedUpload {
  metadata: UploadMetadata;
  sizeBytes: number;
}

const MAX_FIELD_BYTES = 64 * 1024;
const FLUSH_BYTES = 1024 * 1024;
/** A sender who has gone without a word would hold his place for ever. */
const STALL_MS = 120_000;

/**
 * Streams the multipart body of an upload into a new file at `spoolPath`, in constant memory. When this settles,
 * nothing is written any more. A body of which nothing comes for `stallMs` is given up.
 * @throws {AppError} `upload.not_zip`, `upload.missing`, `upload.too_large`, `upload.interrupted`, 400, 415
 */
export async function receiveUpload(
  request: Request,
  spoolPath: string,
  maxBytes: number,
  stallMs = STALL_MS,
): Promise<ReceivedUpload> {
  const contentType = request.headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\b/i.test(contentType) || !request.body)
    throw new AppError(unsupportedMediaType);
  const parser = new Busboy({
    headers: { "content-type": contentType } as BusboyHeaders,
    limits: {
      fieldSize: MAX_FIELD_BYTES,
      fields: 8,
      files: 1,
      parts: 9,
      fileSize: maxBytes + 1,
      headerPairs: 32,
    },
  });
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {}); // it is raced below, or comes too late to matter
  let metadata: UploadMetadata = {};
  let file: Readable | undefined;
  let spooled: Promise<number> | undefined;
  parser.on("error", (cause) => failure.reject(new AppError(uploadInterrupted, { cause })));
  parser.on("field", (name: string, value: string) => {
    if (name !== "formData") return;
    try {
      metadata = parseMetadata(value);
    } catch (error) {
      failure.reject(error);
    }
  });
  parser.on("file", (_name: string, stream: Readable, fileName: string | undefined) => {
    file = stream;
    spooled = spool(stream, fileName ?? "", spoolPath, maxBytes);
    spooled.catch(failure.reject);
  });
  try {
    await feed(parser, request.body, failure.promise, stallMs);
  } catch (error) {
    // The parser leaves the stream of the file open, and with it the spool.
    file?.destroy(error instanceof Error ? error : undefined);
    await spooled?.catch(() => undefined); // for the same reason
    throw error;
  }
  if (!spooled) throw new AppError(uploadMissing);
  const sizeBytes = await Promise.race([spooled, failure.promise]);
  return { metadata, sizeBytes };
}

/** Gives the body to the parser at the parser's pace; a failure ends the reading of the body at once. */
async function feed(
  parser: InstanceType<typeof Busboy>,
  body: ReadableStream<Uint8Array>,
  failure: Promise<never>,
  stallMs: number,
): Promise<void> {
  const finished = once(parser, "finish");
  finished.catch(() => {}); // the parser's own error handler tells
  const reader = body.getReader();
  let isStalled = false;
  const stall = setTimeout(() => {
    isStalled = true;
    reader.cancel().catch(() => {}); // ends the read that waits, which tells
  }, stallMs);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (isStalled) throw new AppError(uploadInterrupted, { detail: "stalled" });
      if (done) break;
      stall.refresh();
      if (!parser.write(value)) await Promise.race([once(parser, "drain"), failure]);
    }
  } catch (cause) {
    parser.destroy();
    throw cause instanceof AppError ? cause : new AppError(uploadInterrupted, { cause });
  } finally {
    clearTimeout(stall);
  }
  parser.end();
  await Promise.race([finished, failure]);
}

async function spool(stream: Readable, fileName: string, path: string, maxBytes: number): Promise<number> {
  if (!fileName.toLowerCase().endsWith(".zip")) {
    stream.resume();
    throw new AppError(uploadNotZip);
  }
  const writer = Bun.file(path).writer({ highWaterMark: FLUSH_BYTES });
  let sizeBytes = 0;
  let unflushed = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      sizeBytes += chunk.length;
      unflushed += chunk.length;
      if (sizeBytes > maxBytes)
        throw new AppError(uploadTooLarge, { values: { maximum: inWords(maxBytes) } });
      writer.write(chunk);
      if (unflushed < FLUSH_BYTES) continue;
      await writer.flush();
      unflushed = 0;
    }
  } finally {
    await writer.end();
  }
  if (sizeBytes === 0) throw new AppError(uploadMissing);
  return sizeBytes;
}

/** A size as messages give it: `2 GB`, `512 MB`. */
export function inWords(sizeBytes: number): string {
  const gigabytes = sizeBytes / 1024 ** 3;
  return gigabytes >= 1 ? `${Number(gigabytes.toFixed(1))} GB` : `${Math.round(sizeBytes / 1024 ** 2)} MB`;
}

function parseMetadata(json: string): UploadMetadata {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new AppError(validationFailed, { cause, detail: "formData is no JSON" });
  }
  const parsed = uploadMetadataSchema.safeParse(dropEmpty(value));
  if (!parsed.success) throw new AppError(validationFailed, { detail: "formData" });
  return parsed.data;
}

/** Empty and null values mean untouched. */
function dropEmpty(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== "" && field !== null));
}
