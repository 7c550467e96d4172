import type { Pieces } from "../../../archive/pieces.ts";
import { FairTurns } from "../../../runtime/fair-turns.ts";
import { Places } from "./places.ts";
import { placeOf, type Searcher, turnOf } from "./searcher.ts";

export interface ReadingLimits {
  /** The most bodies that are inflated while they are sent, however slowly the client reads. */
  openPerAccount: number;
  openPerProcess: number;
  /** How many of these may be inflated at the same moment. */
  turnsPerAccount: number;
  turns: number;
  /** A body that the client does not read for this long gives its turn to others. */
  stallMs: number;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}

export const DEFAULT_READING_LIMITS: ReadingLimits = {
  openPerAccount: 32,
  openPerProcess: 160,
  turnsPerAccount: 2,
  turns: 4,
  stallMs: 2_000,
};

/** Bounds how many bodies are inflated in pieces at once: fairly between readers, and in total. */
export interface ReadingTurns {
  /** @throws {AppError} 503 with Retry-After if the reader or the process is at its limit */
  assertRoom(reader: Searcher): void;
  /**
   * Yields the same pieces, and takes each while the reader has a turn. The body counts from its first piece on. One that is read
   * slowly breaks off for a reader who reads none, if all are in use.
   */
  inTurn(reader: Searcher, pieces: Pieces): AsyncGenerator<Uint8Array>;
}

export function createReadingTurns(limits: ReadingLimits = DEFAULT_READING_LIMITS): ReadingTurns {
  const { openPerProcess: all, openPerAccount: own } = limits;
  const open = new Places({ all, own, retryAfterSeconds: 5, ...(limits.now && { now: limits.now }) });
  const turns = new FairTurns(limits);

  return {
    assertRoom: (reader) => open.assertTakeable(...placeOf(reader)),
    async *inTurn(reader, pieces) {
      using place = open.take(...placeOf(reader));
      const { account, kind } = turnOf(reader);
      const takeTurn = () => turns.take(account, undefined, kind);
      const read = pieces[Symbol.asyncIterator]();
      let turn: Disposable | undefined;
      const release = () => {
        turn?.[Symbol.dispose]();
        turn = undefined;
      };
      let stall: Timer | undefined;
      const given = new AbortController();
      const giveUp = (reason: unknown) => {
        given.abort(reason);
        place[Symbol.dispose]();
        clearTimeout(stall);
        release();
        read.return?.().catch(() => {}); // the reader is told the reason
      };
      try {
        turn = await takeTurn();
        place.beginSending(giveUp);
        for (;;) {
          turn ??= await takeTurn();
          given.signal.throwIfAborted();
          const { value, done } = await read.next();
          given.signal.throwIfAborted();
          if (done) return;
          stall = setTimeout(release, limits.stallMs);
          yield value;
          clearTimeout(stall);
          given.signal.throwIfAborted();
          place.took(value.length);
        }
      } finally {
        clearTimeout(stall);
        release();
        await read.return?.();
      }
    },
  };
}
