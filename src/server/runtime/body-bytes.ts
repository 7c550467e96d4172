const MIB = 1024 * 1024;
const MAX_HELD_BYTES = 32 * MIB;
/** Of bodies that wait so many go on at once: what each brings is known only once it is there. */
const RESUMED_AT_ONCE = 16;
const RESUMED_AFTER_MS = 5;
/** After so much was let go it is looked what became of it; at the latest after so long. */
const LOOK_AFTER_BYTES = 32 * MIB;
const LOOK_AFTER_MS = 1_000;
/** As long as the process grows by less, the engine collects in time itself what bodies leave behind. */
const MAX_GROWTH_BYTES = 96 * MIB;
/** Of fewer senders it does so in any case; to give memory back and ask for it anew would cost each upload time. */
const CROWD = 16;

/**
 * What bodies of this process hold in memory, and what they let go of. The engine does not count their buffers: of many
 * senders or readers it would leave hundreds of megabytes lying. What comes waits while too much of it is not on the disk
 * yet: what is not read holds its sender back. What was let go is collected where the process has grown by it.
 */
export class BodyBytes {
  #heldBytes = 0;
  #letGoBytes = 0;
  #waiting: (() => void)[] = [];
  #resuming: Timer | undefined;
  #looking: Timer | undefined;
  #readers = 0;
  /** What the process took when it was looked last, or less. */
  #processBytes = Number.POSITIVE_INFINITY;

  /** Resolves when there is room for more. */
  async room(): Promise<void> {
    while (this.#heldBytes >= MAX_HELD_BYTES)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** For as long as a body is read that a sender may hold. */
  enter(): Disposable {
    this.#readers++;
    return { [Symbol.dispose]: () => this.#readers-- };
  }

  /** These came and are held until {@link release}. */
  hold(bytes: number): void {
    this.#heldBytes += bytes;
  }

  release(bytes: number): void {
    this.#heldBytes -= bytes;
    this.#resume();
    if (this.#isCrowd) this.letGo(bytes);
  }

  /** A buffer of so many bytes that the engine does not count is of no use any more. */
  letGo(bytes: number): void {
    this.#letGoBytes += bytes;
    if (this.#letGoBytes >= LOOK_AFTER_BYTES) this.#look();
    else this.#looking ??= setTimeout(() => this.#look(), LOOK_AFTER_MS).unref();
  }

  get #isCrowd(): boolean {
    return this.#readers >= CROWD;
  }

  #resume(): void {
    if (this.#resuming || this.#waiting.length === 0 || this.#heldBytes >= MAX_HELD_BYTES) return;
    for (const resume of this.#waiting.splice(0, RESUMED_AT_ONCE)) resume();
    this.#resuming = setTimeout(() => {
      this.#resuming = undefined;
      this.#resume();
    }, RESUMED_AFTER_MS);
  }

  #look(): void {
    clearTimeout(this.#looking);
    this.#looking = undefined;
    this.#letGoBytes = 0;
    const processBytes = process.memoryUsage.rss();
    this.#processBytes = Math.min(this.#processBytes, processBytes);
    const hasGrown = processBytes - this.#processBytes >= MAX_GROWTH_BYTES;
    if (!hasGrown && !this.#isCrowd) return;
    Bun.gc(true);
    this.#processBytes = process.memoryUsage.rss();
  }
}

/** Of this process: its memory is one. */
export const bodyBytes = new BodyBytes();
