import { bodyBytes } from "../runtime/body-bytes.ts";
import { WorkTurn } from "../runtime/work-turn.ts";

/**
 * A pull stream: a slow client slows the generator down, and a client that leaves ends it. Pieces that are available at once take
 * turns with other work.
 * @param endUnread closes what the generator would have read; it is called if the stream is cancelled before its first read, because a
 * generator that never began runs no `finally`
 */
export function streamOf(
  pieces: AsyncIterable<Uint8Array>,
  endUnread?: () => Promise<void>,
): ReadableStream<Uint8Array> {
  const chunks = pieces[Symbol.asyncIterator]();
  const turn = new WorkTurn();
  let isBegun = false;
  return new ReadableStream(
    {
      async pull(controller) {
        if (turn.isOver()) await turn.next();
        isBegun = true;
        const { value, done } = await chunks.next();
        if (done) return controller.close();
        bodyBytes.letGo(value.length);
        controller.enqueue(value);
      },
      async cancel() {
        const isUnread = !isBegun;
        await chunks.return?.();
        if (isUnread) await endUnread?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** What is held while an answer is sent, and may be needed elsewhere. */
export interface HeldWhileSent extends Disposable {
  /** Called when the answer begins; `giveUp` breaks it off. */
  beginSending(giveUp: (reason: unknown) => void): void;
  /** The client took so many bytes. */
  took(bytes: number): void;
}

/**
 * The same stream; `held` is disposed when it ends, also if it is cancelled before anything was read. It breaks off if what is held is
 * needed elsewhere.
 */
export function holding(held: HeldWhileSent, stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream(
    {
      start(controller) {
        held.beginSending((reason) => {
          held[Symbol.dispose]();
          controller.error(reason);
          reader.cancel(reason).catch(() => {}); // it is broken off already
        });
      },
      async pull(controller) {
        try {
          const { value, done } = await reader.read();
          if (!done) {
            held.took(value.length);
            return controller.enqueue(value);
          }
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

/**
 * The same stream once its first piece was read, so that a failure before it can still be answered: the runtime would end the connection
 * without a word. A reader that leaves meanwhile, as `signal` says, ends it.
 */
export async function begun(
  stream: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const reader = stream.getReader();
  const leave = () => void reader.cancel(signal?.reason).catch(() => {}); // nobody is left to be told
  signal?.addEventListener("abort", leave, { once: true });
  let ahead: Awaited<ReturnType<typeof reader.read>> | undefined = await reader.read();
  signal?.removeEventListener("abort", leave);
  if (signal?.aborted) leave();
  return new ReadableStream(
    {
      async pull(controller) {
        const { value, done } = ahead ?? (await reader.read());
        ahead = undefined;
        if (done) return controller.close();
        controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
