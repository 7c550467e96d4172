import { AppError } from "../../http/app-error.ts";
import { tooManyReads } from "./dicomweb.errors.ts";

export interface PlaceLimits {
  /** The most places in use. */
  all: number;
  /** Of these, for one caller. */
  own: number;
  /** What a caller without a place is told (2). */
  retryAfterSeconds?: number;
}

/** Bounds what is held for callers at once. */
export class Places {
  readonly #held = new Map<string, number>();
  #heldAll = 0;

  constructor(private readonly limits: PlaceLimits) {}

  /** @throws {AppError} 503 with Retry-After if no place is free for the caller */
  assertFree(callerId: string): void {
    const { all, own, retryAfterSeconds = 2 } = this.limits;
    if (this.#heldAll >= all || (this.#held.get(callerId) ?? 0) >= own)
      throw new AppError(tooManyReads, { retryAfterSeconds });
  }

  /** A caller's place, until it is disposed. @throws {AppError} 503 with Retry-After */
  take(callerId: string): Disposable {
    this.assertFree(callerId);
    this.#hold(callerId, 1);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#hold(callerId, -1);
        isHeld = false;
      },
    };
  }

  #hold(callerId: string, by: number): void {
    this.#heldAll += by;
    const count = (this.#held.get(callerId) ?? 0) + by;
    if (count > 0) this.#held.set(callerId, count);
    else this.#held.delete(callerId);
  }
}
