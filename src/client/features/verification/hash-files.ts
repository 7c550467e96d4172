import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import {
  hasPreamble,
  META_START,
  mayBeInstance,
  PREAMBLE_BYTES,
} from "../../../shared/dicom/instance-start.ts";
import { ByteReader } from "../../../shared/dicom/reading/byte-reader.ts";
import { memorySource } from "../../../shared/dicom/reading/memory-source.ts";
import { readFileMeta } from "../../../shared/dicom/reading/parse-file.ts";
import { Unreadable } from "../../../shared/dicom/reading/unreadable.ts";
import { ENCAPSULATED_PDF } from "../../../shared/dicom/sop-class.ts";
import { isUid } from "../../../shared/dicom/uid.ts";
import { locateInBlob, readZipEntries } from "../../../shared/zip/open-zip-blob.ts";
import type { ZipEntry } from "../../../shared/zip/zip-entry.ts";
import { ZipError } from "../../../shared/zip/zip-error.ts";
import { METHOD_STORED } from "../../../shared/zip/zip-format.ts";
import { parseHead, parserTag } from "../upload/read-dicom/parse-head.ts";
import type { HashedFile } from "./compare-files.ts";
import { HashFailed, type PickedFile } from "./hash-messages.ts";

const MAX_FILES = 200_000;
const STEP_BYTES = 1024 * 1024;
const HEAD_BYTES = 64 * 1024;
/** Behind the preamble and "DICM". */
const ZIP_NAME = /\.zip$/i;

/** A file whose bytes can be read from the beginning, in steps. */
interface Source {
  name: string;
  pieces(): AsyncIterable<Uint8Array>;
  /** Whether a {@link HashFailed} leaves it without a hash, and the others are compared. */
  mayFail?: boolean;
}

/**
 * The hash of each file, or of each entry of each ZIP, and its SOP Instance UID unless its hash is `known`. Memory: a megabyte.
 * What can't be read of one of several ZIPs has no hash, so that its images are missing.
 * @throws {HashFailed} {ZipError} if the only file is a ZIP of which anything can't be read
 */
export async function hashFiles(
  files: readonly PickedFile[],
  known: ReadonlySet<string> | undefined,
  onHashed: (files: number, total: number) => void,
): Promise<HashedFile[]> {
  const sources = await sourcesOf(files);
  const hashed: HashedFile[] = [];
  for (const source of sources) {
    hashed.push(await (source.mayFail ? unlessFailed(source, known) : hashSource(source, known)));
    onHashed(hashed.length, sources.length);
  }
  return hashed;
}

async function sourcesOf(files: readonly PickedFile[]): Promise<Source[]> {
  const sources: Source[] = [];
  for (const picked of files) {
    const { name, file } = picked;
    const entries = ZIP_NAME.test(name) ? await entriesOf(picked, files.length === 1) : undefined;
    if (entries) for (const entry of entries) sources.push(entry);
    else sources.push({ name, pieces: () => stepsOf(file) });
    if (sources.length > MAX_FILES) throw new HashFailed("too_many");
  }
  return sources;
}

/** `undefined` if the ZIP can't be read and is not the only file. */
async function entriesOf({ file }: PickedFile, isOnly: boolean): Promise<Source[] | undefined> {
  try {
    const entries = await readZipEntries(file);
    return entries
      .filter(({ isFolder }) => !isFolder)
      .map((entry) => ({ name: entry.name, pieces: () => entryPieces(file, entry), mayFail: !isOnly }));
  } catch (error) {
    if (isOnly || !(error instanceof ZipError)) throw error;
    return undefined;
  }
}

async function unlessFailed(source: Source, known: ReadonlySet<string> | undefined): Promise<HashedFile> {
  try {
    return await hashSource(source, known);
  } catch (error) {
    if (!(error instanceof HashFailed)) throw error;
    return { name: source.name, sha256: "", sizeBytes: 0 };
  }
}

async function hashSource(source: Source, known: ReadonlySet<string> | undefined): Promise<HashedFile> {
  const { name } = source;
  const { sums, head, sizeBytes } = await hashFrom(source, [0]);
  const [sum = ""] = sums;
  if (known?.has(sum)) return { name, sha256: sum, sizeBytes };
  const received = known && (await findReceived(source, head, known));
  if (received !== undefined) return { name, sha256: received, sizeBytes };
  return { name, sha256: sum, sizeBytes, ...instanceOf(head) };
}

/** The hashes of the bytes from each start on, read in one pass, and the first bytes of the whole file. */
async function hashFrom(
  { pieces }: Source,
  starts: readonly number[],
): Promise<{ sums: string[]; head: Uint8Array; sizeBytes: number }> {
  const hashes = starts.map((start) => ({ start, hash: sha256.create() }));
  let head: Uint8Array = new Uint8Array(0);
  let sizeBytes = 0;
  for await (const piece of pieces()) {
    for (const { start, hash } of hashes) hash.update(piece.subarray(Math.max(0, start - sizeBytes)));
    if (sizeBytes < HEAD_BYTES) head = joined(head, piece.subarray(0, HEAD_BYTES - sizeBytes));
    sizeBytes += piece.length;
  }
  return { sums: hashes.map(({ hash }) => bytesToHex(hash.digest())), head, sizeBytes };
}

/**
 * The hash in `known` of what a file is without its beginning. A medium completes the files that came without preamble, or without
 * File Meta Information (PS3.10 §7.1), and behind that is every byte as it came.
 */
async function findReceived(
  source: Source,
  head: Uint8Array,
  known: ReadonlySet<string>,
): Promise<string | undefined> {
  if (!hasPreamble(head)) return undefined;
  const { sums } = await hashFrom(source, [PREAMBLE_BYTES, META_START, metaEnd(head)]);
  return sums.find((sum) => known.has(sum));
}

/**
 * The offset of the data set: behind the elements of File Meta Information, whatever these say of their length. Between them and the
 * data set there is no room for another one that a reader would show.
 */
function metaEnd(head: Uint8Array): number {
  try {
    const { fileMeta, next } = readFileMeta(new ByteReader(memorySource(head)), META_START);
    // A medium names every value representation, and readers differ about the length of an element without one.
    return fileMeta.elements.some(({ implicit }) => implicit) ? META_START : next;
  } catch (error) {
    // They are longer than a medium makes them.
    if (error instanceof Unreadable) return META_START;
    throw error;
  }
}

function instanceOf(head: Uint8Array): Pick<HashedFile, "sopInstanceUID" | "isDocument"> {
  const read = mayBeInstance(head) ? parseHead(head) : undefined;
  const sopInstanceUID = read?.string(parserTag("SOPInstanceUID")) ?? "";
  if (!isUid(sopInstanceUID)) return {};
  const isDocument = read?.string(parserTag("SOPClassUID")) === ENCAPSULATED_PDF;
  return { sopInstanceUID, ...(isDocument && { isDocument }) };
}

async function* stepsOf(file: Blob): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += STEP_BYTES)
    yield new Uint8Array(await file.slice(at, at + STEP_BYTES).arrayBuffer());
}

async function* entryPieces(file: Blob, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  const located = await locateInBlob(file, entry);
  if (!located.ok) throw new HashFailed("unreadable");
  const { offset, length, method } = located.data;
  const stored = file.slice(offset, offset + length);
  if (method === METHOD_STORED) {
    yield* stepsOf(stored);
    return;
  }
  const reader = stored.stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  let left = entry.sizeBytes;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      left -= value.length;
      if (left < 0) throw new HashFailed("unreadable");
      yield value;
    }
  } catch (error) {
    throw error instanceof TypeError ? new HashFailed("unreadable") : error;
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const whole = new Uint8Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}
