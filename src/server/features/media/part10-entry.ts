import { constants, createInflateRaw, inflateRawSync } from "node:zlib";
import { crc32WithPrefix } from "../../archive/crc32-prefix.ts";
import type { ManifestInstance } from "../../archive/manifest.ts";
import { type Pieces, piecesOf, type StreamedBody, through } from "../../archive/pieces.ts";
import type { WrittenEntry } from "../../archive/zip-encode.ts";
import { completeMeta, type NewBeginning } from "../../dicom/complete-meta.ts";
import { streamOf } from "../../http/stream-of.ts";

/** An instance as its volume has it. */
export type KeptEntry = Pick<ManifestInstance, "storedBytes" | "sizeBytes" | "method" | "crc32">;

/** What a directory says of an instance, and so its file must. */
export type NamedInstance = Pick<ManifestInstance, "sopClassUID" | "sopInstanceUID" | "transferSyntaxUID">;

/** How much is read to find the end of File Meta Information, which mostly takes about 500 bytes. */
const HEAD_BYTES = 64 * 1024;
/** The same for a deflated entry; these bytes inflate to 4 MB at most. */
const DEFLATED_HEAD_BYTES = 4 * 1024;
const INFLATED_PIECE_BYTES = 256 * 1024;

/**
 * An instance as an entry of a medium, whose files are of the DICOM File Format (PS3.10 §7): one that came without preamble or File
 * Meta Information gets them, and is stored. Any other is copied as it is kept.
 * @param stored the entry's bytes in its volume
 */
export async function part10Entry(
  name: string,
  instance: KeptEntry & NamedInstance,
  stored: StreamedBody,
): Promise<{ entry: WrittenEntry; body: StreamedBody }> {
  const { storedBytes, sizeBytes, method, crc32 } = instance;
  const pieces = piecesOf(stored);
  const isDeflated = method !== 0;
  const { head, all } = await lookAhead(pieces, isDeflated ? DEFLATED_HEAD_BYTES : HEAD_BYTES);
  const beginning = completeMeta(isDeflated ? inflatedHead(head) : head, instance);
  const endUnread = async () => void (await pieces.return(undefined));
  if (!beginning)
    return { entry: { name, storedBytes, sizeBytes, method, crc32 }, body: streamOf(all, endUnread) };
  const { before, after } = beginning;
  const restBytes = sizeBytes - before.length;
  const newBytes = after.length + restBytes;
  const file = isDeflated ? through(all, createInflateRaw({ chunkSize: INFLATED_PIECE_BYTES })) : all;
  return {
    entry: {
      name,
      method: 0,
      storedBytes: newBytes,
      sizeBytes: newBytes,
      crc32: crc32WithPrefix(crc32, beginning, restBytes),
    },
    body: streamOf(withBeginning(file, beginning, sizeBytes), endUnread),
  };
}

/** The first bytes, and all of them. */
async function lookAhead(pieces: AsyncGenerator<Uint8Array>, wanted: number) {
  const held: Uint8Array[] = [];
  let length = 0;
  while (length < wanted) {
    const { done, value } = await pieces.next();
    if (done) break;
    held.push(value);
    length += value.length;
  }
  const [first = new Uint8Array()] = held;
  const head = held.length === 1 ? first : Buffer.concat(held);
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield* held;
      yield* pieces;
    } finally {
      await pieces.return(undefined);
    }
  }
  return { head: head.subarray(0, wanted), all: all() };
}

/** The first bytes of a deflated file. */
function inflatedHead(deflated: Uint8Array): Uint8Array {
  return inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, HEAD_BYTES);
}

/** @throws {RangeError} if the file is longer than its index says */
async function* withBeginning(
  file: Pieces,
  { before, after }: NewBeginning,
  sizeBytes: number,
): AsyncGenerator<Uint8Array> {
  yield after;
  let at = 0;
  for await (const piece of file) {
    const rest = piece.subarray(Math.max(0, before.length - at));
    at += piece.length;
    if (at > sizeBytes) throw new RangeError("an entry is longer than its index says");
    if (rest.length > 0) yield rest;
  }
}
