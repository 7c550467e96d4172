export interface TurnLimits {
  /** How many may work at the same moment. */
  turns: number;
  turnsPerAccount: number;
}

/** How many kinds and accounts have their last turn remembered. */
const MAX_REMEMBERED = 1_000;

interface Waiting {
  accountId: string;
  kind: string;
  start: () => void;
}

/**
 * Lets a number of accounts work at once. An account at its own limit holds nobody up. Waiting kinds take turns, and so do the accounts
 * of a kind: the one that was served longest ago comes next.
 */
export class FairTurns {
  readonly #held = new Map<string, number>();
  readonly #waiting: Waiting[] = [];
  /** When kinds and accounts were last served, the longest ago first. Whoever is missing here comes before all of them. */
  readonly #servedAt = new Map<string, number>();
  #served = 0;
  #heldAll = 0;

  constructor(private readonly limits: TurnLimits) {}

  /**
   * Waits for a turn, which lasts until it is disposed of.
   * @param kind accounts that share the turns of one, such as those that cost nothing to make
   * @throws the reason of `signal`, which ends the wait
   */
  async take(accountId: string, signal?: AbortSignal, kind = accountId): Promise<Disposable> {
    signal?.throwIfAborted();
    if (this.#isFree(accountId)) this.#begin({ accountId, kind });
    else await this.#wait(accountId, kind, signal);
    return { [Symbol.dispose]: () => this.#giveBack(accountId) };
  }

  #wait(accountId: string, kind: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal?.reason);
      };
      const start = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const waiting: Waiting = { accountId, kind, start };
      this.#waiting.push(waiting);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  #begin({ accountId, kind }: Pick<Waiting, "accountId" | "kind">): void {
    this.#hold(accountId, 1);
    this.#served++;
    for (const key of [kindKey(kind), accountKey(accountId)]) {
      this.#servedAt.delete(key);
      this.#servedAt.set(key, this.#served);
    }
    for (const [longestAgo] of this.#servedAt) {
      if (this.#servedAt.size <= MAX_REMEMBERED) break;
      this.#servedAt.delete(longestAgo);
    }
  }

  #giveBack(accountId: string): void {
    this.#hold(accountId, -1);
    const next = this.#next();
    if (!next) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    this.#begin(next);
    next.start();
  }

  #next(): Waiting | undefined {
    let next: Waiting | undefined;
    for (const waiting of this.#waiting)
      if (this.#isFree(waiting.accountId) && (!next || this.#isBefore(waiting, next))) next = waiting;
    return next;
  }

  #isBefore(one: Waiting, other: Waiting): boolean {
    const servedAt = (key: string) => this.#servedAt.get(key) ?? 0;
    const byKind = servedAt(kindKey(one.kind)) - servedAt(kindKey(other.kind));
    return (byKind || servedAt(accountKey(one.accountId)) - servedAt(accountKey(other.accountId))) < 0;
  }

  #isFree(accountId: string): boolean {
    return (
      this.#heldAll < this.limits.turns && (this.#held.get(accountId) ?? 0) < this.limits.turnsPerAccount
    );
  }

  #hold(accountId: string, by: number): void {
    this.#heldAll += by;
    const count = (this.#held.get(accountId) ?? 0) + by;
    if (count > 0) this.#held.set(accountId, count);
    else this.#held.delete(accountId);
  }
}

const kindKey = (kind: string) => `kind ${kind}`;
const accountKey = (accountId: string) => `account ${accountId}`;
