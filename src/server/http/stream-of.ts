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
