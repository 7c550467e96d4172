export interface TurnLimits {
  /** How many may work at the same moment. */
  turns: number;
  turnsPerAccount: number;
}

/** Lets a number of accounts work at once. The others wait in order, but an account at its own limit holds nobody up. */
export class FairTurns {
  readonly #held = new Map<string, number>();
  readonly #waiting: { accountId: string; start: () => void }[] = [];
  #heldAll = 0;

  constructor(private readonly limits: TurnLimits) {}

  /** Waits for a turn, which lasts until it is disposed of. @throws the reason of `signal`, which ends the wait */
  async take(accountId: string, signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted();
    if (this.#isFree(accountId)) this.#hold(accountId, 1);
    else await this.#wait(accountId, signal);
    return { [Symbol.dispose]: () => this.#giveBack(accountId) };
  }

  #wait(accountId: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal?.reason);
      };
      const start = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const waiting = { accountId, start };
      this.#waiting.push(waiting);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  #giveBack(accountId: string): void {
    this.#hold(accountId, -1);
    const next = this.#waiting.findIndex((other) => this.#isFree(other.accountId));
    const [started] = next < 0 ? [] : this.#waiting.splice(next, 1);
    if (!started) return;
    this.#hold(started.accountId, 1);
    started.start();
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
