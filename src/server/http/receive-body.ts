import { AppError } from "./app-error.ts";
import { bodyInterrupted } from "./http.errors.ts";
import type { SenderSlot } from "./sender-slots.ts";

/** A sender who is gone without a word holds nothing for longer. */
const STALL_MS = 20_000;

/**
 * A body as it comes, at the pace it is taken.
 * @throws {AppError} `body.interrupted` where the sender goes or stalls; what the slot's signal says
 */
export async function* receiveBody(
  body: ReadableStream<Uint8Array>,
  slot: SenderSlot,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
  let reason: unknown;
  const giveUp = (why: unknown) => {
    reason ??= why;
    reader.cancel().catch(() => {}); // ends the read that waits, which tells
  };
  const abort = () => giveUp(slot.signal.reason);
  slot.signal.addEventListener("abort", abort, { once: true });
  const stall = setTimeout(() => giveUp(new AppError(bodyInterrupted)), STALL_MS);
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause) => {
        throw new AppError(bodyInterrupted, { cause });
      });
      if (reason !== undefined) throw reason;
      if (done) return slot.received();
      slot.came(value.length);
      stall.refresh();
      yield value;
      stall.refresh();
    }
  } finally {
    clearTimeout(stall);
    slot.signal.removeEventListener("abort", abort);
    await reader.cancel().catch(() => {}); // broken already, or read to its end
  }
}
