import { type FileHandle, open } from "node:fs/promises";
import { type UploadMetadata, uploadMetadataSchema } from "../../../shared/api/upload.ts";
import { AppError } from "../../http/app-error.ts";
import { unsupportedMediaType, validationFailed } from "../../http/http.errors.ts";
import { isKeepable } from "../../http/validate.ts";
import { uploadInterrupted, uploadMissing, uploadNotZip, uploadTooLarge } from "./ingest.errors.ts";
import { boundaryOf, MultipartBroken, readFormParts } from "./multipart-reader.ts";
import type { SpoolRoom } from "./upload-room.ts";

export interface ReceivedUpload {
  metadata: UploadMetadata;
  sizeBytes: number;
}

const MAX_FIELD_BYTES = 64 * 1024;
/** Pieces are written together, in one call: a body comes in some 64 kB at a time. */
const WRITE_BYTES = 2 * 1024 * 1024;
const WRITE_PIECES = 256;
/** A sender who has gone without a word would hold his place for ever. */
const STALL_MS = 120_000;

/**
 * Streams the multipart body of an upload into a new file at `spoolPath`, in constant memory. When this settles,
 * nothing is written any more. A body of which nothing comes for `stallMs` is given up.
 * @throws {AppError} `upload.not_zip`, `upload.missing`, `upload.too_large`, `upload.interrupted`, 400, 415, and what `room` says
 */
export async function receiveUpload(
  request: Request,
  spoolPath: string,
  maxBytes: number,
  room: SpoolRoom,
  stallMs = STALL_MS,
): Promise<ReceivedUpload> {
  const boundary = boundaryOf(request.headers.get("content-type") ?? "");
  if (boundary === undefined || !request.body) throw new AppError(unsupportedMediaType);
  let metadata: UploadMetadata = {};
  let sizeBytes: number | undefined;
  try {
    for await (const part of readFormParts(receive(request.body, stallMs), boundary)) {
      const { name, fileName, content } = part;
      if (fileName === undefined && name === "formData") metadata = parseMetadata(await readText(content));
      // One file is what an upload is; others are passed over.
      if (fileName !== undefined && sizeBytes === undefined) {
        sizeBytes = await spool(content, fileName, { path: spoolPath, maxBytes, room });
      }
    }
  } catch (cause) {
    throw cause instanceof MultipartBroken ? new AppError(uploadInterrupted, { cause }) : cause;
  }
  if (!sizeBytes) throw new AppError(uploadMissing);
  return { metadata, sizeBytes };
}

/** What the sender sends, at the pace it is taken. @throws {AppError} `upload.interrupted` where he goes or stalls */
async function* receive(
  body: ReadableStream<Uint8Array>,
  stallMs: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
  let isStalled = false;
  const stall = setTimeout(() => {
    isStalled = true;
    reader.cancel().catch(() => {}); // ends the read that waits, which tells
  }, stallMs);
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause) => {
        throw new AppError(uploadInterrupted, { cause });
      });
      if (isStalled) throw new AppError(uploadInterrupted, { detail: "stalled" });
      if (done) return;
      stall.refresh();
      yield value;
      stall.refresh();
    }
  } finally {
    clearTimeout(stall);
    await reader.cancel().catch(() => {}); // broken already, or read to its end
  }
}

async function readText(content: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of content) {
    length += piece.length;
    if (length > MAX_FIELD_BYTES) throw new AppError(validationFailed, { detail: "formData is too long" });
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

async function spool(
  content: AsyncIterable<Uint8Array>,
  fileName: string,
  { path, maxBytes, room }: { path: string; maxBytes: number; room: SpoolRoom },
): Promise<number> {
  if (!fileName.toLowerCase().endsWith(".zip")) throw new AppError(uploadNotZip);
  await using file = await open(path, "wx", 0o600);
  let sizeBytes = 0;
  let unwritten: Uint8Array[] = [];
  let unwrittenBytes = 0;
  for await (const piece of content) {
    sizeBytes += piece.length;
    if (sizeBytes > maxBytes) throw new AppError(uploadTooLarge, { values: { maximum: inWords(maxBytes) } });
    unwritten.push(piece);
    unwrittenBytes += piece.length;
    if (unwrittenBytes < WRITE_BYTES && unwritten.length < WRITE_PIECES) continue;
    await room.take(unwrittenBytes);
    await writeAll(file, unwritten, unwrittenBytes);
    room.wrote(unwrittenBytes);
    unwritten = [];
    unwrittenBytes = 0;
  }
  await room.take(unwrittenBytes);
  await writeAll(file, unwritten, unwrittenBytes);
  room.wrote(unwrittenBytes);
  return sizeBytes;
}

async function writeAll(file: FileHandle, pieces: Uint8Array[], lengthBytes: number): Promise<void> {
  if (lengthBytes === 0) return;
  const { bytesWritten } = await file.writev(pieces);
  if (bytesWritten === lengthBytes) return;
  // A disk about to be full takes a part; the rest meets the error that says so.
  let rest: Uint8Array = Buffer.concat(pieces).subarray(bytesWritten);
  while (rest.length > 0) rest = rest.subarray((await file.write(rest)).bytesWritten);
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
  const isValid = parsed.success && Object.values(parsed.data).every((text) => !text || isKeepable(text));
  if (!isValid) throw new AppError(validationFailed, { detail: "formData" });
  return parsed.data;
}

/** Empty and null values mean untouched. */
function dropEmpty(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== "" && field !== null));
}
