import type { SkipReason } from "./instance.ts";

/** The reason why reading an instance ends early. Thrown inside this folder only; `readInstance` turns it into its result. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";

  /** @param detail for the log: tags and byte counts, never a value of the instance */
  constructor(
    readonly reason: SkipReason,
    readonly detail: string,
  ) {
    super(`${reason}: ${detail}`);
  }
}
