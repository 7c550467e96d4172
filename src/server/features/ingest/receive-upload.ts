import { open } from "node:fs/promises";
import { type UploadMetadata, uploadMetadataSchema } from "../../../shared/api/upload.ts";
import { uploadInterrupted } from "../../holdings/uploads/uploads.errors.ts";
import { AppError } from "../../http/app-error.ts";
import { assertUncoded } from "../../http/body-coding.ts";
import { furtherFile } from "../../http/further-file.ts";
import { unsupportedMediaType, validationFailed } from "../../http/http.errors.ts";
import { boundaryOf, MultipartBroken, readFormParts } from "../../http/multipart-reader.ts";
import { isKeepable } from "../../http/validate.ts";
import { bodyBytes } from "../../runtime/body-bytes.ts";
import { readUpTo } from "../../runtime/read-up-to.ts";
import { uploadMissing, uploadNotZip, uploadTooLarge } from "./ingest.errors.ts";
import type { ReceivedBytes } from "./received-bytes.ts";
import { type SpoolRoom, SpoolWriter } from "./spool-writer.ts";

export interface ReceivedUpload {
  metadata: UploadMetadata;
  sizeBytes: number;
}

const MAX_FIELD_BYTES = 64 * 1024;
const MAX_NAMED_FIELDS = 20;
/** Without this bound, a sender who left silently or sends almost nothing would keep their place forever. */
const WINDOW_MS = 120_000;
/** A body that brings less in a window is given up: 2 kbit/s is slower than any line that still loads a page. */
const MIN_BYTES_A_WINDOW = 32 * 1024;

export interface Receiving {
  /** Ends the upload with the signal's reason. */
  signal?: AbortSignal;
  /** Called with the size of every piece that arrives. */
  onReceived?: (bytes: number) => void;
  /** Keeps the file's bytes too, if it is small. */
  received?: ReceivedBytes;
  /** A body is given up when nothing, or too little, arrives for this long. */
  windowMs?: number;
}

/**
 * Streams the multipart body of an upload into a new file at `spoolPath`, in constant memory. Nothing is written after this
 * settles. An upload whose sender stalls, or almost stalls, is given up.
 * @throws {AppError} `upload.not_zip`, `upload.missing`, `upload.too_large`, `upload.interrupted`, 400, 415, and what `room` says
 */
export async function receiveUpload(
  request: Request,
  spoolPath: string,
  maxBytes: number,
  room: SpoolRoom,
  receiving: Receiving = {},
): Promise<ReceivedUpload> {
  const boundary = boundaryOf(request.headers.get("content-type") ?? "");
  if (boundary === undefined || !request.body) throw new AppError(unsupportedMediaType);
  assertUncoded(request.headers);
  let metadata: UploadMetadata = {};
  let sizeBytes: number | undefined;
  try {
    for await (const part of readFormParts(receiveBytes(request.body, receiving), boundary)) {
      const { name, fileName, content } = part;
      // Some programs send it as a file, such as Python's requests in `files`.
      const isForm = name === "formData" && fileName !== "" && !isZipName(fileName);
      if (isForm) metadata = parseForm(await readText(content));
      // A browser sends a file input that was left empty as a file without a name.
      if (isForm || fileName === undefined || (fileName === "" && sizeBytes !== undefined)) continue;
      if (sizeBytes !== undefined) throw furtherFile(name);
      const { received } = receiving;
      sizeBytes = await spool(content, fileName, { path: spoolPath, maxBytes, room, received });
    }
  } catch (cause) {
    throw cause instanceof MultipartBroken ? new AppError(uploadInterrupted, { cause }) : cause;
  }
  if (!sizeBytes) throw new AppError(uploadMissing);
  return { metadata, sizeBytes };
}

/**
 * Yields the sender's bytes at the pace they are read; only the time spent waiting for the sender counts.
 * @throws {AppError} `upload.interrupted` when the sender leaves, stalls or trickles
 */
export async function* receiveBytes(
  body: ReadableStream<Uint8Array>,
  { signal, onReceived, windowMs = WINDOW_MS }: Receiving,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
  using _ = bodyBytes.enter();
  let reason: unknown;
  const giveUp = (why: unknown) => {
    reason ??= why;
    reader.cancel().catch(() => {}); // ends the waiting read, which throws
  };
  const abort = () => giveUp(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  let waitedMs = 0;
  let bytesInWindow = 0;
  try {
    for (;;) {
      await bodyBytes.room();
      const askedAt = performance.now();
      const stall = setTimeout(() => giveUp(interrupted("stalled")), windowMs);
      const { done, value } = await reader
        .read()
        .catch((cause) => {
          throw new AppError(uploadInterrupted, { cause });
        })
        .finally(() => clearTimeout(stall));
      waitedMs += performance.now() - askedAt;
      if (reason !== undefined) throw reason;
      if (done) return;
      onReceived?.(value.length);
      bytesInWindow += value.length;
      if (waitedMs >= windowMs) {
        if (bytesInWindow < MIN_BYTES_A_WINDOW) throw interrupted("too slow");
        waitedMs = bytesInWindow = 0;
      }
      yield value;
    }
  } finally {
    signal?.removeEventListener("abort", abort);
    await reader.cancel().catch(() => {}); // broken already, or read to its end
  }
}

function interrupted(detail: string): AppError {
  return new AppError(uploadInterrupted, { detail });
}

function isZipName(fileName: string | undefined): boolean {
  return fileName?.toLowerCase().endsWith(".zip") ?? false;
}

async function readText(content: AsyncIterable<Uint8Array>): Promise<string> {
  const bytes = await readUpTo(content, MAX_FIELD_BYTES);
  if (!bytes) throw invalidForm("too long");
  // Without the byte order mark that programs of Windows begin a file with.
  return new TextDecoder().decode(bytes);
}

interface Spool {
  path: string;
  maxBytes: number;
  room: SpoolRoom;
}

async function spool(
  content: AsyncIterable<Uint8Array>,
  fileName: string,
  { path, maxBytes, room, received }: Pick<Receiving, "received"> & Spool,
): Promise<number> {
  if (!isZipName(fileName)) throw new AppError(uploadNotZip);
  await using file = await open(path, "wx", 0o600);
  await using writer = new SpoolWriter(file, room);
  let sizeBytes = 0;
  for await (const piece of content) {
    sizeBytes += piece.length;
    if (sizeBytes > maxBytes)
      throw new AppError(uploadTooLarge, { values: { maximum: formatSize(maxBytes) } });
    // The engine would collect the pieces of a large body only after the process has grown by a hundred megabytes.
    if (received?.add(piece)) await writer.add(piece);
    else await writer.give(piece);
  }
  await writer.flush();
  return sizeBytes;
}

/** A size as messages give it: `2 GB`, `512 MB`, `195 kB`, `40 bytes`. */
export function formatSize(sizeBytes: number): string {
  const gigabytes = sizeBytes / 1024 ** 3;
  if (gigabytes >= 1) return `${Number(gigabytes.toFixed(1))} GB`;
  if (sizeBytes >= 1024 ** 2) return `${Math.round(sizeBytes / 1024 ** 2)} MB`;
  return sizeBytes >= 1024 ? `${Math.round(sizeBytes / 1024)} kB` : `${sizeBytes} bytes`;
}

/** Reads a form's values. @throws {AppError} 400 */
export function parseForm(json: string): UploadMetadata {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw invalidForm("no JSON", cause);
  }
  const parsed = uploadMetadataSchema.safeParse(dropEmpty(value));
  if (!parsed.success) throw invalidFields(parsed.error.issues.map(({ path }) => path.map(String).join(".")));
  const unkeepable = Object.entries(parsed.data).flatMap(([name, text]) =>
    text && !isKeepable(text) ? [name] : [],
  );
  if (unkeepable.length > 0) throw invalidFields(unkeepable);
  return parsed.data;
}

function invalidForm(detail: string, cause?: unknown): AppError {
  const violations = [{ path: "formData", code: "validation.invalid" }];
  return new AppError(validationFailed, { violations, cause, detail: `formData is ${detail}` });
}

function invalidFields(names: string[]): AppError {
  const paths = [...new Set(names)]
    .slice(0, MAX_NAMED_FIELDS)
    .map((name) => (name === "" ? "formData" : `formData.${name}`));
  const violations = paths.map((path) => ({ path, code: "validation.invalid" }));
  return new AppError(validationFailed, { violations, detail: "formData" });
}

/** Empty and null values mean untouched. */
function dropEmpty(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== "" && field !== null));
}
