import { pipeline, Readable, type Transform } from "node:stream";
import { bodyBytes } from "../runtime/body-bytes.ts";

/** Bytes that come one piece after the other, so that only one of them is in memory. */
export type Pieces = AsyncIterable<Uint8Array>;

/** What a store gives to be streamed. */
export type StreamedBody = Blob | ReadableStream<Uint8Array>;

/** The pieces of a body; leaving the loop over them ends the read. */
export async function* piecesOf(body: Uint8Array | StreamedBody): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) yield body;
  else yield* body instanceof Blob ? body.stream() : body;
}

/**
 * Pieces as `transform` (one of node:zlib) makes them of others: off the event loop, no more held than its buffers.
 * Its memory goes when the loop over them ends, wherever that is.
 */
export async function* through(pieces: Pieces, transform: Transform): AsyncGenerator<Uint8Array> {
  // What fails on the way ends the transform, and so the loop below.
  pipeline(Readable.from(pieces, { objectMode: true, highWaterMark: 1 }), transform, () => {});
  try {
    for await (const piece of transform) {
      yield piece;
      bodyBytes.letGo(piece.length);
    }
  } finally {
    transform.destroy();
  }
}

/** `length` bytes from `offset` of them all; what comes behind is not asked for. Fewer where they end before. */
export async function* slicePieces(
  pieces: Pieces,
  offset: number,
  length: number,
): AsyncGenerator<Uint8Array> {
  if (length === 0) return;
  const end = offset + length;
  let at = 0;
  for await (const piece of pieces) {
    const part = piece.subarray(Math.max(0, offset - at), Math.max(0, end - at));
    at += piece.length;
    if (part.length > 0) yield part;
    if (at >= end) return;
  }
}

const PIECE_BYTES = 256 * 1024;

/** Bytes in memory as pieces, none larger than a stream takes at once. */
export async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/** All of them in one array of `length` bytes; `undefined` where they are fewer or more. */
export async function joinPieces(pieces: Pieces, length: number): Promise<Uint8Array | undefined> {
  const joined = new Uint8Array(length);
  let filled = 0;
  for await (const piece of pieces) {
    if (filled + piece.length > length) return undefined;
    joined.set(piece, filled);
    filled += piece.length;
  }
  return filled === length ? joined : undefined;
}

/** The pieces with `text` put in behind each `mark`, wherever they were cut. Both are ASCII. */
export async function* insertBehind(pieces: Pieces, mark: string, text: string): AsyncGenerator<Uint8Array> {
  const inserted = Buffer.from(text);
  let held = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = Buffer.concat([held, piece]);
    const parts: Uint8Array[] = [];
    let done = 0;
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, done)) {
      parts.push(bytes.subarray(done, at + mark.length), inserted);
      done = at + mark.length;
    }
    // What may be the begin of a mark waits for the rest of it.
    const kept = Math.max(done, bytes.length - mark.length + 1);
    parts.push(bytes.subarray(done, kept));
    held = bytes.subarray(kept);
    yield Buffer.concat(parts);
  }
  yield held;
}
