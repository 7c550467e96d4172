import type { Pieces } from "../../archive/pieces.ts";
import { FairTurns } from "../../runtime/fair-turns.ts";
import { Places } from "./places.ts";

export interface ReadingLimits {
  /** The most bodies that are inflated while they are sent, however slowly the client reads. */
  openPerAccount: number;
  openPerProcess: number;
  /** How many of these may be inflated at the same moment. */
  turnsPerAccount: number;
  turns: number;
  /** A body that the client does not read for this long gives its turn to others. */
  stallMs: number;
}

export const DEFAULT_READING_LIMITS: ReadingLimits = {
  openPerAccount: 32,
  openPerProcess: 160,
  turnsPerAccount: 2,
  turns: 4,
  stallMs: 2_000,
};

/** Bounds how many bodies are inflated in pieces at once: fairly between accounts, and in total. */
export interface ReadingTurns {
  /** @throws {AppError} 503 with Retry-After if the account or the process is at its limit */
  assertRoom(accountId: string): void;
  /** Yields the same pieces, and reads each while the account has a turn. The body counts from its first piece on. */
  inTurn(accountId: string, pieces: Pieces): AsyncGenerator<Uint8Array>;
}

export function createReadingTurns(limits: ReadingLimits = DEFAULT_READING_LIMITS): ReadingTurns {
  const { openPerProcess: all, openPerAccount: own } = limits;
  const open = new Places({ all, own, retryAfterSeconds: 5 });
  const turns = new FairTurns(limits);

  return {
    assertRoom: (accountId) => open.assertFree(accountId),
    async *inTurn(accountId, pieces) {
      using _ = open.take(accountId);
      let hasTurn = false;
      const release = () => {
        if (hasTurn) turns.giveBack(accountId);
        hasTurn = false;
      };
      let stall: Timer | undefined;
      try {
        await turns.take(accountId);
        hasTurn = true;
        for await (const piece of pieces) {
          stall = setTimeout(release, limits.stallMs);
          yield piece;
          clearTimeout(stall);
          if (hasTurn) continue;
          await turns.take(accountId);
          hasTurn = true;
        }
      } finally {
        clearTimeout(stall);
        release();
      }
    },
  };
}
