import { pipeline, Readable, type Transform } from "node:stream";
import { bodyBytes } from "../runtime/body-bytes.ts";

/** Bytes that arrive piece by piece, so that only one piece is in memory. */
export type Pieces = AsyncIterable<Uint8Array>;

/** A body that a store gives for streaming. */
export type StreamedBody = Blob | ReadableStream<Uint8Array>;

/** The pieces of a body. Leaving the loop over them ends the read. */
export async function* piecesOf(body: Uint8Array | StreamedBody): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) yield body;
  else yield* body instanceof Blob ? body.stream() : body;
}

/** Ends the read of a body that nobody has begun to read. */
export async function giveUp(body: Uint8Array | StreamedBody): Promise<void> {
  if (body instanceof ReadableStream && !body.locked) await body.cancel();
}

/**
 * Pipes pieces through `transform`, a stream of node:zlib, off the event loop. Only its buffers are in memory; they are
 * freed when the loop over the result ends, early or not.
 */
export async function* through(pieces: Pieces, transform: Transform): AsyncGenerator<Uint8Array> {
  // A failure of the source ends the transform, which ends the loop below.
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

/** The bytes from `offset` to `offset + length`, or to the end of the pieces. Nothing behind them is read. */
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

/** Cuts bytes in memory into pieces that a stream takes at once. */
export async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/** The bytes of a body in buffers of exactly `bufferBytes`, but for the last. Each buffer is its receiver's to keep. */
export async function* inBuffers(
  body: StreamedBody | Pieces,
  bufferBytes: number,
): AsyncGenerator<Uint8Array> {
  let buffer = new Uint8Array(bufferBytes);
  let filled = 0;
  for await (const piece of body instanceof Blob ? body.stream() : body) {
    for (let done = 0; done < piece.length; ) {
      const part = piece.subarray(done, done + bufferBytes - filled);
      buffer.set(part, filled);
      filled += part.length;
      done += part.length;
      if (filled < bufferBytes) continue;
      yield buffer;
      buffer = new Uint8Array(bufferBytes);
      filled = 0;
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}

/** Joins the pieces into one array. `undefined` if they are not exactly `length` bytes. */
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

/** Inserts `text` after each `mark`, even if a mark is split over two pieces. Both are ASCII. */
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
    // A possible start of a mark waits for the next piece.
    const kept = Math.max(done, bytes.length - mark.length + 1);
    parts.push(bytes.subarray(done, kept));
    held = bytes.subarray(kept);
    yield Buffer.concat(parts);
  }
  yield held;
}
