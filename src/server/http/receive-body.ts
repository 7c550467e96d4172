import { AppError } from "./app-error.ts";
import { bodyInterrupted } from "./http.errors.ts";
import type { SenderSlot } from "./sender-slots.ts";

/** After this time without a byte, a sender counts as gone. */
const STALL_MS = 20_000;

/**
 * Yields a body as it arrives, at the pace of its reader.
 * @throws {AppError} `body.interrupted` if the sender leaves or stalls; the reason of the slot's signal
 */
export async function* receiveBody(
  body: ReadableStream<Uint8Array>,
  slot: SenderSlot,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
  let reason: unknown;
  const giveUp = (why: unknown) => {
    reason ??= why;
    reader.cancel().catch(() => {}); // ends the pending read, which reports the error
  };
  const abort = () => giveUp(slot.signal.reason);
  slot.signal.addEventListener("abort", abort, { once: true });
  try {
    for (;;) {
      const stall = setTimeout(() => giveUp(new AppError(bodyInterrupted)), STALL_MS);
      const { done, value } = await reader
        .read()
        .catch((cause) => {
          throw new AppError(bodyInterrupted, { cause });
        })
        .finally(() => clearTimeout(stall));
      if (reason !== undefined) throw reason;
      if (done) return slot.received();
      slot.came(value.length);
      yield value;
    }
  } finally {
    slot.signal.removeEventListener("abort", abort);
    await reader.cancel().catch(() => {}); // broken already, or read to its end
  }
}
