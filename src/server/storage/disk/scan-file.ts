import { newBuffer } from "../../runtime/new-buffer.ts";
import { type ByteRange, StoreUnavailable } from "../object-store.ts";
import { type Readable, readAt } from "./durable-file.ts";

/** Reads a range through two buffers: one is filled while the caller uses the other. */
export async function* scanFile(
  file: Readable,
  { offset, length }: ByteRange,
  bufferBytes: number,
): AsyncGenerator<Uint8Array> {
  const end = offset + length;
  const size = Math.min(bufferBytes, length);
  let [free, taken] = [newBuffer(size), newBuffer(size)];
  const fill = (at: number): Promise<Uint8Array> => {
    const filling = fillFrom(file, at, free.subarray(0, Math.min(size, end - at)));
    [free, taken] = [taken, free];
    filling.catch(() => {}); // reported to the caller that takes it
    return filling;
  };
  let filling = fill(offset);
  try {
    for (let at = offset; at < end; ) {
      const filled = await filling;
      at += filled.length;
      if (at < end) filling = fill(at);
      yield filled;
    }
  } finally {
    // The file may be closed only after the last read has ended.
    await filling.catch(() => {});
  }
}

async function fillFrom(file: Readable, at: number, buffer: Uint8Array): Promise<Uint8Array> {
  if ((await readAt(file, at, buffer)) < buffer.length) throw new StoreUnavailable("disk: object ends early");
  return buffer;
}
