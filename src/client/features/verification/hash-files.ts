import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { mayBeInstance } from "../../../shared/dicom/instance-start.ts";
import { isUid } from "../../../shared/dicom/uid.ts";
import { locateInBlob, readZipEntries } from "../../../shared/zip/open-zip-blob.ts";
import type { ZipEntry } from "../../../shared/zip/zip-entry.ts";
import { METHOD_STORED } from "../../../shared/zip/zip-format.ts";
import { parseHead, parserTag } from "../upload/read-dicom/parse-head.ts";
import type { HashedFile } from "./compare-files.ts";
import { HashFailed, type PickedFile } from "./hash-messages.ts";

const MAX_FILES = 200_000;
const STEP_BYTES = 1024 * 1024;
const HEAD_BYTES = 64 * 1024;
const ZIP_NAME = /\.zip$/i;

/** A file whose bytes can be read from the beginning, in steps. */
interface Source {
  name: string;
  pieces(): AsyncIterable<Uint8Array>;
}

/**
 * The hash of each file, or of each entry of a ZIP, and its SOP Instance UID unless its hash is `known`. Memory: a megabyte.
 * @throws {HashFailed} {ZipError} if the ZIP can't be read
 */
export async function hashFiles(
  files: readonly PickedFile[],
  known: ReadonlySet<string> | undefined,
  onHashed: (files: number, total: number) => void,
): Promise<HashedFile[]> {
  const sources = await sourcesOf(files);
  if (sources.length > MAX_FILES) throw new HashFailed("too_many");
  const hashed: HashedFile[] = [];
  for (const source of sources) {
    hashed.push(await hashSource(source, known));
    onHashed(hashed.length, sources.length);
  }
  return hashed;
}

async function sourcesOf(files: readonly PickedFile[]): Promise<Source[]> {
  const [only] = files;
  if (!only || files.length > 1 || !ZIP_NAME.test(only.name))
    return files.map(({ name, file }) => ({ name, pieces: () => stepsOf(file) }));
  const entries = await readZipEntries(only.file);
  return entries
    .filter(({ isFolder }) => !isFolder)
    .map((entry) => ({ name: entry.name, pieces: () => entryPieces(only.file, entry) }));
}

async function hashSource(
  { name, pieces }: Source,
  known: ReadonlySet<string> | undefined,
): Promise<HashedFile> {
  const hash = sha256.create();
  let head: Uint8Array = new Uint8Array(0);
  let sizeBytes = 0;
  for await (const piece of pieces()) {
    hash.update(piece);
    if (sizeBytes < HEAD_BYTES) head = joined(head, piece.subarray(0, HEAD_BYTES - sizeBytes));
    sizeBytes += piece.length;
  }
  const sum = bytesToHex(hash.digest());
  const sopInstanceUID = known?.has(sum) ? undefined : instanceUidOf(head);
  return { name, sha256: sum, sizeBytes, ...(sopInstanceUID !== undefined && { sopInstanceUID }) };
}

function instanceUidOf(head: Uint8Array): string | undefined {
  if (!mayBeInstance(head)) return undefined;
  const uid = parseHead(head)?.string(parserTag("SOPInstanceUID"));
  return isUid(uid ?? "") ? uid : undefined;
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
