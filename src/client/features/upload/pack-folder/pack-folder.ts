import { type AsyncFlateStreamHandler, Zip, type ZipInputFile, ZipPassThrough } from "fflate";
import { locateInBlob } from "../../../../shared/zip/open-zip-blob.ts";
import type { ZipEntry } from "../../../../shared/zip/zip-entry.ts";
import { EXTRA_HEADER_BYTES, FULL_32, PADDING_EXTRA } from "../../../../shared/zip/zip-format.ts";

export interface PackableFile {
  /** Path inside the ZIP; unique. */
  path: string;
  file: Blob;
  /** The entry of `file` that is packed, if that is a ZIP. Its bytes are copied as they are, deflated or not. */
  entry?: ZipEntry;
  /** The size of a loose file, kept so that the browser is asked for it only once. */
  sizeBytes?: number;
}

/** The bytes of a file as it travels, deflated or not. */
export function storedSizeOf({ file, entry, sizeBytes }: PackableFile): number {
  return entry?.storedBytes ?? sizeBytes ?? file.size;
}

/** A file can't be packed as it was when it was picked. */
export class EntryUnreadable extends Error {
  override name = "EntryUnreadable";
}

export type PackSink = (chunk: Uint8Array) => Promise<void>;

const STEP_BYTES = 1024 * 1024;
const LOCAL_HEADER_BYTES = 30;
const DATA_DESCRIPTOR_BYTES = 16;
const DIRECTORY_ENTRY_BYTES = 46;
const END_BYTES = 22;
/** The server renames entries to names of this many bytes. It need not copy the ZIP if our headers leave room for them. */
const SERVER_NAME_BYTES = 31;

/** The number of zeros that pad a name of `nameBytes`. */
function paddingFor(nameBytes: number): Uint8Array | undefined {
  const missing = SERVER_NAME_BYTES - nameBytes;
  return missing > 0 ? new Uint8Array(Math.max(0, missing - EXTRA_HEADER_BYTES)) : undefined;
}

function extraBytesFor(nameBytes: number): number {
  const padding = paddingFor(nameBytes);
  return padding ? EXTRA_HEADER_BYTES + padding.length : 0;
}

/** The exact size of these files' ZIP in bytes. */
export function packedSizeBytes(files: readonly PackableFile[]): number {
  const encoder = new TextEncoder();
  return files.reduce((total, one) => {
    const nameBytes = encoder.encode(one.path).length;
    const records = LOCAL_HEADER_BYTES + DATA_DESCRIPTOR_BYTES + DIRECTORY_ENTRY_BYTES;
    return total + records + 2 * (nameBytes + extraBytesFor(nameBytes)) + storedSizeOf(one);
  }, END_BYTES);
}

/**
 * Writes the files into one ZIP: entries of a ZIP as they are there, others uncompressed. Each piece goes to `sink` and is awaited,
 * so at most a megabyte is held. A file that vanished or changed since it was picked fails with the browser's own error.
 * @throws {EntryUnreadable} if an entry's local header is not the one of its directory
 */
export async function packFolder(
  files: readonly PackableFile[],
  sink: PackSink,
  onPacked: (count: number) => void = () => {},
): Promise<void> {
  const encoder = new TextEncoder();
  const output = new PendingOutput();
  const zip = new Zip(output.take);
  for (const [index, { path, file, entry }] of files.entries()) {
    const { bytes, input } = entry ? await storedEntry(path, file, entry) : newEntry(path, file);
    const padding = paddingFor(encoder.encode(path).length);
    if (padding) input.extra = { [PADDING_EXTRA]: padding };
    zip.add(input);
    for await (const step of stepsOf(bytes)) {
      input.push(step.bytes, step.isLast);
      await output.drain(sink);
    }
    onPacked(index + 1);
  }
  zip.end();
  await output.drain(sink);
}

function newEntry(path: string, file: Blob) {
  return { bytes: file, input: new ZipPassThrough(path) };
}

async function storedEntry(path: string, file: Blob, entry: ZipEntry) {
  const located = await locateInBlob(file, entry);
  // The packer writes no ZIP64 records.
  if (!located.ok || entry.sizeBytes >= FULL_32) throw new EntryUnreadable(path);
  const { offset, length } = located.data;
  return { bytes: file.slice(offset, offset + length), input: new StoredEntry(path, entry) };
}

/** An entry of another ZIP. Its bytes are copied as that ZIP stores them. */
class StoredEntry implements ZipInputFile {
  ondata?: AsyncFlateStreamHandler;
  extra?: Record<number, Uint8Array>;
  readonly crc: number;
  readonly size: number;
  readonly compression: number;

  constructor(
    readonly filename: string,
    { crc32, sizeBytes, method }: ZipEntry,
  ) {
    this.crc = crc32;
    this.size = sizeBytes;
    this.compression = method;
  }

  push(bytes: Uint8Array<ArrayBuffer>, isLast: boolean): void {
    this.ondata?.(null, bytes, isLast);
  }
}

/** The file's bytes in pieces; an empty file yields one empty piece. */
async function* stepsOf(file: Blob) {
  for (let offset = 0; offset === 0 || offset < file.size; offset += STEP_BYTES) {
    const bytes = new Uint8Array(await file.slice(offset, offset + STEP_BYTES).arrayBuffer());
    yield { bytes, isLast: offset + STEP_BYTES >= file.size };
  }
}

/** Output of the packer that the sink has not taken yet. */
class PendingOutput {
  #chunks: Uint8Array[] = [];
  #error: Error | undefined;

  readonly take = (error: Error | null, chunk: Uint8Array): void => {
    if (error) this.#error ??= error;
    else this.#chunks.push(chunk);
  };

  async drain(sink: PackSink): Promise<void> {
    if (this.#error) throw this.#error;
    const chunks = this.#chunks;
    this.#chunks = [];
    for (const chunk of chunks) await sink(chunk);
  }
}
