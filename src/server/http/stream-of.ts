import { setImmediate } from "node:timers/promises";
import { bodyBytes } from "../runtime/body-bytes.ts";

/** Pieces that are available at once are sent for this long; then other work gets a turn. */
const MAX_TURN_MS = 10;

/** A pull stream: a slow client slows the generator down, and a client that leaves ends it. */
export function streamOf(pieces: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const chunks = pieces[Symbol.asyncIterator]();
  let turnBeganAt = performance.now();
  return new ReadableStream(
    {
      async pull(controller) {
        if (performance.now() - turnBeganAt > MAX_TURN_MS) {
          await setImmediate();
          turnBeganAt = performance.now();
        }
        const { value, done } = await chunks.next();
        if (done) return controller.close();
        bodyBytes.letGo(value.length);
        controller.enqueue(value);
      },
      async cancel() {
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The same stream; `held` is disposed when it ends, also if it is cancelled before anything was read. */
export function holding(held: Disposable, stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { value, done } = await reader.read();
          if (!done) return controller.enqueue(value);
        } catch (error) {
          held[Symbol.dispose]();
          throw error;
        }
        held[Symbol.dispose]();
        controller.close();
      },
      async cancel(reason) {
        held[Symbol.dispose]();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
