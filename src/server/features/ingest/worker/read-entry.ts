import { createReadStream, createWriteStream } from "node:fs";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { crc32, createInflateRaw, inflateRaw, inflateRawSync } from "node:zlib";
import type { ByteSource } from "../../../../shared/dicom/reading/instance.ts";
import { memorySource } from "../../../../shared/dicom/reading/memory-source.ts";
import type { EntryData, ZipEntry } from "../../../../shared/zip/zip-entry.ts";
import { METHOD_STORED } from "../../../../shared/zip/zip-format.ts";
import { ContentHash, contentHashOf } from "../../../archive/content-hash.ts";
import { type FileWindow, readFully } from "../../../archive/file-window.ts";
import { inflateBounds } from "../../../archive/inflate-bounds.ts";
import { isInflateFailure } from "../../../archive/inflate-failure.ts";
import { fileSource } from "../../../dicom/byte-source.ts";

const inflateBeside = promisify(inflateRaw);

const CHUNK_BYTES = 1024 * 1024;
/** The highest ratio that deflate can reach; an entry that declares a higher one is invalid. */
const MAX_DEFLATE_RATIO = 1032;

/** An entry whose bytes match its CRC-32. */
export interface EntryContent {
  ok: true;
  source: ByteSource;
  contentHash: string;
}

export interface BrokenEntry {
  ok: false;
  reason: "zip.crc" | "zip.malformed";
}

/** Reads an entry into memory. A stored entry is a view that is valid until the next read of the file. */
export function readEntry(file: FileWindow, entry: ZipEntry, data: EntryData): EntryContent | BrokenEntry {
  const stored = file.read(data.offset, data.length);
  if (stored.length !== data.length) return { ok: false, reason: "zip.malformed" };
  return checked(data.method === METHOD_STORED ? stored : inflate(stored, entry.sizeBytes), entry);
}

/** Reads a deflated entry into memory, as {@link readEntry} does, and has another thread inflate it. */
export async function readEntryBeside(
  file: FileWindow,
  entry: ZipEntry,
  data: EntryData,
): Promise<EntryContent | BrokenEntry> {
  // A copy, since the view is valid until the next read.
  const deflated = Uint8Array.from(file.read(data.offset, data.length));
  if (deflated.length !== data.length || !isPossibleSize(deflated.length, entry.sizeBytes))
    return { ok: false, reason: "zip.malformed" };
  const inflated = await inflateBeside(deflated, inflateBounds(entry.sizeBytes)).catch(brokenData);
  return checked(inflated, entry);
}

function checked(
  bytes: Uint8Array | undefined,
  entry: Pick<ZipEntry, "sizeBytes" | "crc32">,
): EntryContent | BrokenEntry {
  if (bytes?.length !== entry.sizeBytes) return { ok: false, reason: "zip.malformed" };
  if (crc32(bytes) !== entry.crc32) return { ok: false, reason: "zip.crc" };
  return { ok: true, source: memorySource(bytes), contentHash: contentHashOf(bytes) };
}

function inflate(deflated: Uint8Array, sizeBytes: number): Uint8Array | undefined {
  if (!isPossibleSize(deflated.length, sizeBytes)) return undefined;
  try {
    return inflateRawSync(deflated, inflateBounds(sizeBytes));
  } catch (error) {
    return brokenData(error);
  }
}

/** `undefined` for a failure of the data. @throws any other failure */
function brokenData(error: unknown): undefined {
  if (!isInflateFailure(error)) throw error;
}

/** Whether `deflatedBytes` can inflate to `sizeBytes`. */
export function isPossibleSize(deflatedBytes: number, sizeBytes: number): boolean {
  return sizeBytes <= deflatedBytes * MAX_DEFLATE_RATIO;
}

/** Checks a large stored entry, which is then read in place. */
export function openStoredEntry(
  file: FileWindow,
  entry: ZipEntry,
  data: EntryData,
): EntryContent | BrokenEntry {
  const chunk = new Uint8Array(CHUNK_BYTES);
  const hash = new ContentHash();
  let checksum = 0;
  for (let done = 0; done < data.length; ) {
    const wanted = Math.min(CHUNK_BYTES, data.length - done);
    if (readFully(file.fd, chunk, data.offset + done, wanted) !== wanted)
      return { ok: false, reason: "zip.malformed" };
    checksum = crc32(chunk.subarray(0, wanted), checksum);
    hash.update(chunk.subarray(0, wanted));
    done += wanted;
  }
  if (checksum !== entry.crc32) return { ok: false, reason: "zip.crc" };
  const source = fileSource(file.fd, data.offset, data.length);
  return { ok: true, source, contentHash: hash.digest() };
}

/** Inflates a large entry into the new file `path`; a failure may leave an incomplete file behind. */
export async function inflateEntryTo(
  path: string,
  spoolPath: string,
  entry: ZipEntry,
  data: EntryData,
): Promise<{ ok: true; contentHash: string } | BrokenEntry> {
  if (!isPossibleSize(data.length, entry.sizeBytes)) return { ok: false, reason: "zip.malformed" };
  const check = new CheckedLength(entry.sizeBytes);
  const end = data.offset + data.length - 1;
  try {
    await pipeline(
      createReadStream(spoolPath, { start: data.offset, end, highWaterMark: CHUNK_BYTES }),
      createInflateRaw({ chunkSize: CHUNK_BYTES }),
      check,
      createWriteStream(path, { flags: "wx", mode: 0o600 }),
    );
  } catch (error) {
    if (isInflateFailure(error)) return { ok: false, reason: "zip.malformed" };
    throw error;
  }
  if (check.lengthBytes !== entry.sizeBytes) return { ok: false, reason: "zip.malformed" };
  if (check.checksum !== entry.crc32) return { ok: false, reason: "zip.crc" };
  return { ok: true, contentHash: check.hash.digest() };
}

/** Passes bytes on and computes their CRC-32; fails as zlib does when there are more than expected. */
export class CheckedLength extends Transform {
  checksum = 0;
  lengthBytes = 0;
  readonly hash = new ContentHash();
  constructor(readonly maxBytes: number) {
    super();
  }

  override _transform(
    chunk: Uint8Array,
    _encoding: string,
    done: (error: Error | null, chunk?: Uint8Array) => void,
  ) {
    this.lengthBytes += chunk.length;
    if (this.lengthBytes > this.maxBytes) {
      return done(Object.assign(new RangeError("longer than it says"), { code: "ERR_BUFFER_TOO_LARGE" }));
    }
    this.checksum = crc32(chunk, this.checksum);
    this.hash.update(chunk);
    done(null, chunk);
  }
}
