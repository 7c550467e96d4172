import { MIB } from "../../shared/units.ts";

const MAX_HELD_BYTES = 32 * MIB;
/** When bodies wait, this many proceed at once: the size of each is known only once it has arrived. */
const RESUMED_AT_ONCE = 16;
const RESUMED_AFTER_MS = 5;
/** Memory is checked after this many released bytes, and at the latest after this time. */
const CHECK_AFTER_BYTES = 32 * MIB;
const CHECK_AFTER_MS = 1_000;
/** While the process grows by less than this, the engine collects the buffers of bodies in time by itself. */
const MAX_GROWTH_BYTES = 96 * MIB;
/**
 * With fewer senders than this the engine does so in any case; returning memory and requesting it again would cost each
 * upload time.
 */
const MANY_READERS = 16;

/**
 * Counts the bytes that bodies of this process hold in memory, and those they released. The engine does not count their
 * buffers: with many senders or readers it would leave hundreds of megabytes uncollected. New bodies wait while too many
 * bytes are not on the disk yet, and an unread body holds its sender back. Released buffers are collected if the process
 * has grown because of them.
 */
class BodyBytes {
  #heldBytes = 0;
  #letGoBytes = 0;
  #waiting: (() => void)[] = [];
  #resuming: Timer | undefined;
  #checkTimer: Timer | undefined;
  #readers = 0;
  /** The memory of the process when it was last checked, or less. */
  #processBytes = Number.POSITIVE_INFINITY;

  /** Resolves when there is room for more. */
  async room(): Promise<void> {
    while (this.#heldBytes >= MAX_HELD_BYTES)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Held while a body is read whose sender may be slow. */
  enter(): Disposable {
    this.#readers++;
    return { [Symbol.dispose]: () => this.#readers-- };
  }

  /** Counts bytes that arrived; they are held until {@link release}. */
  hold(bytes: number): void {
    this.#heldBytes += bytes;
  }

  release(bytes: number): void {
    this.#heldBytes -= bytes;
    this.#resume();
    if (this.#hasManyReaders) this.letGo(bytes);
  }

  /** Counts the bytes of a buffer that is not needed any more and that the engine does not count. */
  letGo(bytes: number): void {
    this.#letGoBytes += bytes;
    if (this.#letGoBytes >= CHECK_AFTER_BYTES) this.#collectIfGrown();
    else this.#checkTimer ??= setTimeout(() => this.#collectIfGrown(), CHECK_AFTER_MS).unref();
  }

  get #hasManyReaders(): boolean {
    return this.#readers >= MANY_READERS;
  }

  #resume(): void {
    if (this.#resuming || this.#waiting.length === 0 || this.#heldBytes >= MAX_HELD_BYTES) return;
    for (const resume of this.#waiting.splice(0, RESUMED_AT_ONCE)) resume();
    this.#resuming = setTimeout(() => {
      this.#resuming = undefined;
      this.#resume();
    }, RESUMED_AFTER_MS);
  }

  #collectIfGrown(): void {
    clearTimeout(this.#checkTimer);
    this.#checkTimer = undefined;
    this.#letGoBytes = 0;
    const processBytes = process.memoryUsage.rss();
    this.#processBytes = Math.min(this.#processBytes, processBytes);
    const hasGrown = processBytes - this.#processBytes >= MAX_GROWTH_BYTES;
    if (!hasGrown && !this.#hasManyReaders) return;
    Bun.gc(true);
    this.#processBytes = process.memoryUsage.rss();
  }
}

/** Shared by the whole process, whose memory it measures. */
export const bodyBytes = new BodyBytes();
