import { giveUp, type Pieces, piecesOf, slicePieces } from "../../../archive/pieces.ts";
import { swapInPlace } from "../../../dicom/swap-in-place.ts";
import { streamOf } from "../../../http/stream-of.ts";
import type { ByteRange } from "../../../storage/object-store.ts";
import type { Bytes } from "../dicomweb.catalogue.ts";

/** The lengths of words, in bytes, that can be swapped. */
export type WordBytes = 2 | 4 | 8;

export function isSwappable(wordBytes: number | undefined): wordBytes is WordBytes {
  return wordBytes === 2 || wordBytes === 4 || wordBytes === 8;
}

/** Big-endian words in a file. */
export interface Words extends ByteRange {
  wordBytes: WordBytes;
}

/** Reads a range of the words in the other byte order; it may begin or end within a word. `read` reads a range of the file. */
export async function readSwapped(
  read: (range: ByteRange) => Promise<Bytes>,
  words: Words,
  { offset, length }: ByteRange,
): Promise<Bytes> {
  const { wordBytes } = words;
  const before = (offset - words.offset) % wordBytes;
  const behind = (wordBytes - ((before + length) % wordBytes)) % wordBytes;
  const start = offset - before;
  const end = Math.min(offset + length + behind, words.offset + words.length);
  const bytes = await read({ offset: start, length: end - start });
  const swapped = slicePieces(swapWords(piecesOf(bytes), wordBytes), before, length);
  return streamOf(swapped, () => giveUp(bytes));
}

/** Reverses the bytes of each word, wherever the pieces are cut; an incomplete word at the end is unchanged. */
export async function* swapWords(pieces: Pieces, wordBytes: WordBytes): AsyncGenerator<Uint8Array> {
  let held = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = Buffer.concat([held, piece]);
    const whole = swapInPlace(bytes, wordBytes);
    held = bytes.subarray(whole.length);
    if (whole.length > 0) yield whole;
  }
  if (held.length > 0) yield held;
}
