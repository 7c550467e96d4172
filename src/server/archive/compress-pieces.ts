import { finished } from "node:stream/promises";
import { promisify } from "node:util";
import { createZstdCompress, type ZstdOptions, zstdCompressSync } from "node:zlib";
import { newBuffer } from "../runtime/new-buffer.ts";

const BUFFER_BYTES = 256 * 1024;

/**
 * Compresses to one zstd frame. All of the input goes through one buffer, and no piece is held while the next one is asked for. What the
 * buffer holds at once needs no stream, which takes longer to set up.
 */
export async function compressPieces(
  pieces: Iterable<Uint8Array>,
  options: ZstdOptions,
): Promise<Uint8Array> {
  const filled = fillings(pieces, newBuffer(BUFFER_BYTES));
  const first = filled.next();
  if (first.done) return zstdCompressSync(new Uint8Array(0), options);
  if (first.value.length < BUFFER_BYTES) return zstdCompressSync(first.value, options);
  const zstd = createZstdCompress(options);
  const compressed: Uint8Array[] = [];
  zstd.on("data", (chunk: Uint8Array) => compressed.push(chunk));
  const ended = finished(zstd);
  const write = promisify<Uint8Array, void>((bytes, done) => zstd.write(bytes, done));
  try {
    await write(first.value);
    for (const bytes of filled) await write(bytes);
    zstd.end();
    await ended;
  } catch (error) {
    zstd.destroy();
    await ended.catch(() => {});
    throw error;
  }
  return Buffer.concat(compressed);
}

/** Fills `buffer` with the bytes of the pieces, again and again. The last time it may have room left. */
function* fillings(pieces: Iterable<Uint8Array>, buffer: Uint8Array): Generator<Uint8Array> {
  let filled = 0;
  for (const piece of pieces) {
    let rest = piece;
    while (rest.length >= buffer.length - filled) {
      const room = buffer.length - filled;
      buffer.set(rest.subarray(0, room), filled);
      // The owner of the piece may reuse it meanwhile. `slice` of a Buffer would be no copy.
      rest = rest === piece ? new Uint8Array(rest.subarray(room)) : rest.subarray(room);
      yield buffer;
      filled = 0;
    }
    buffer.set(rest, filled);
    filled += rest.length;
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}
