import type { Pieces } from "../../archive/pieces.ts";
import { AppError } from "../../http/app-error.ts";
import { tooManyReads } from "./dicomweb.errors.ts";

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
  const open = new Map<string, number>();
  const held = new Map<string, number>();
  const waiting: { accountId: string; start: () => void }[] = [];
  let openAll = 0;
  let heldAll = 0;

  const add = (counts: Map<string, number>, accountId: string, by: number) => {
    const count = (counts.get(accountId) ?? 0) + by;
    if (count > 0) counts.set(accountId, count);
    else counts.delete(accountId);
  };
  const isFree = (accountId: string) =>
    heldAll < limits.turns && (held.get(accountId) ?? 0) < limits.turnsPerAccount;
  const hold = (accountId: string, by: number) => {
    heldAll += by;
    add(held, accountId, by);
  };

  async function take(accountId: string): Promise<void> {
    if (isFree(accountId)) return hold(accountId, 1);
    await new Promise<void>((start) => waiting.push({ accountId, start }));
  }

  function giveBack(accountId: string): void {
    hold(accountId, -1);
    const next = waiting.findIndex((other) => isFree(other.accountId));
    const [started] = next < 0 ? [] : waiting.splice(next, 1);
    if (!started) return;
    hold(started.accountId, 1);
    started.start();
  }

  function assertRoom(accountId: string): void {
    const isFull = (open.get(accountId) ?? 0) >= limits.openPerAccount || openAll >= limits.openPerProcess;
    if (isFull) throw new AppError(tooManyReads, { retryAfterSeconds: 5 });
  }

  return {
    assertRoom,
    async *inTurn(accountId, pieces) {
      assertRoom(accountId);
      openAll++;
      add(open, accountId, 1);
      let hasTurn = false;
      const release = () => {
        if (hasTurn) giveBack(accountId);
        hasTurn = false;
      };
      let stall: Timer | undefined;
      try {
        await take(accountId);
        hasTurn = true;
        for await (const piece of pieces) {
          stall = setTimeout(release, limits.stallMs);
          yield piece;
          clearTimeout(stall);
          if (hasTurn) continue;
          await take(accountId);
          hasTurn = true;
        }
      } finally {
        clearTimeout(stall);
        release();
        openAll--;
        add(open, accountId, -1);
      }
    },
  };
}
