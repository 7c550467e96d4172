const MAX_HELD_BYTES = 32 * 1024 * 1024;
/** So much is let go before it is collected; of a few uploads the engine takes care itself. */
const COLLECTED_BYTES = 64 * 1024 * 1024;
const CROWD = 16;
const COLLECTED_AFTER_MS = 1_000;
/** Of bodies that wait so many go on at once: what each brings is known only once it is there. */
const RESUMED_AT_ONCE = 16;
const RESUMED_AFTER_MS = 5;

/**
 * What came of all bodies and is not on the disk yet. Who reads a body waits while it is too much: what is not read holds
 * its sender back. What is let go is collected soon: the engine does not count the buffers of bodies, and of hundreds of
 * senders it would keep hundreds of megabytes for half a minute.
 */
export class HeldBytes {
  #bytes = 0;
  #letGoBytes = 0;
  #waiting: (() => void)[] = [];
  #resuming: Timer | undefined;
  #collecting: Timer | undefined;
  #readers = 0;

  /** Resolves when there is room for more. */
  async room(): Promise<void> {
    while (this.#bytes >= MAX_HELD_BYTES) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** For as long as a body is read. */
  enter(): Disposable {
    this.#readers++;
    return { [Symbol.dispose]: () => this.#readers-- };
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  letGo(bytes: number): void {
    this.#bytes -= bytes;
    this.#resume();
    if (this.#readers < CROWD) return;
    this.#letGoBytes += bytes;
    if (this.#letGoBytes >= COLLECTED_BYTES) this.#collect();
    else this.#collecting ??= setTimeout(() => this.#collect(), COLLECTED_AFTER_MS).unref();
  }

  #resume(): void {
    if (this.#resuming || this.#waiting.length === 0 || this.#bytes >= MAX_HELD_BYTES) return;
    for (const resume of this.#waiting.splice(0, RESUMED_AT_ONCE)) resume();
    this.#resuming = setTimeout(() => {
      this.#resuming = undefined;
      this.#resume();
    }, RESUMED_AFTER_MS);
  }

  #collect(): void {
    clearTimeout(this.#collecting);
    this.#collecting = undefined;
    this.#letGoBytes = 0;
    Bun.gc(false);
  }
}
