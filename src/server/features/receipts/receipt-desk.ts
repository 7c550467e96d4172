import { AppError } from "../../http/app-error.ts";
import { FairTurns, type TurnLimits } from "../../runtime/fair-turns.ts";
import { type HeldPlace, type PlaceLimits, Places } from "../dicomweb/turns/places.ts";
import { receiptNotReady } from "./receipts.errors.ts";
import type { ReceiptRow } from "./receipts.table.ts";

const RETRY_AFTER_SECONDS = 10;
const TURNS: TurnLimits = { turns: 2, turnsPerAccount: 1 };
/** The receipts that are made or waited for. */
const OPEN: PlaceLimits = { all: 64, own: 16, retryAfterSeconds: RETRY_AFTER_SECONDS };
/** How long a request waits for its receipt. */
const WAIT_MS = 20_000;

/** A study as it was when somebody asked for its receipt. */
export interface AskedStudy {
  id: string;
  accountId: string;
  /** SHA-256 of its manifests in force, as a receipt's `madeOf`. */
  madeOf: string;
}

/**
 * Where receipts are made: few at once, and each only once at a time, because all bytes of a study are read for it. An account that asks
 * for many keeps no other out.
 */
export interface ReceiptDesk extends Disposable {
  /**
   * Makes the receipt of a study, or joins whoever makes it for a study that was the same: what came meanwhile is on a receipt of its own.
   * Making goes on if it takes longer than a request waits.
   * @throws {AppError} `receipt.not_ready` and `reading.busy`, with Retry-After; whatever `make` throws
   */
  receiptOf(study: AskedStudy, make: (signal: AbortSignal) => Promise<ReceiptRow>): Promise<ReceiptRow>;
}

export function createReceiptDesk(): ReceiptDesk {
  const turns = new FairTurns(TURNS);
  const places = new Places(OPEN);
  const open = new Map<string, Promise<ReceiptRow>>();
  const closing = new AbortController();

  async function makeInTurn(
    key: string,
    accountId: string,
    held: HeldPlace,
    make: (signal: AbortSignal) => Promise<ReceiptRow>,
  ): Promise<ReceiptRow> {
    try {
      using place = held;
      using _ = await place.whileWaiting((signal) => turns.take(accountId, signal));
      closing.signal.throwIfAborted();
      return await make(closing.signal);
    } finally {
      open.delete(key);
    }
  }

  return {
    async receiptOf({ id, accountId, madeOf }, make) {
      const key = `${id} ${madeOf}`;
      let making = open.get(key);
      if (!making) {
        making = makeInTurn(key, accountId, places.take(accountId), make);
        // A failure is told to whoever waits, or to the next who asks.
        making.catch(() => {});
        open.set(key, making);
      }
      const waited = Promise.withResolvers<never>();
      const timer = setTimeout(() => {
        waited.reject(new AppError(receiptNotReady, { retryAfterSeconds: RETRY_AFTER_SECONDS }));
      }, WAIT_MS);
      return await Promise.race([making, waited.promise]).finally(() => clearTimeout(timer));
    },
    [Symbol.dispose]: () => closing.abort(),
  };
}
