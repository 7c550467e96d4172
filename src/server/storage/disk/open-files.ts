import { fstatSync } from "node:fs";
import { type OpenFile, openFileSync } from "./durable-file.ts";

/** How long a file stays open for further reads; when it is opened again, its path is looked at again. */
const KEPT_MS = 1_000;
const MAX_KEPT = 16;

interface KeptFile {
  file: OpenFile;
  readers: number;
  isKept: boolean;
  timer: Timer;
}

/** An open file on loan: disposing gives it back. */
export interface LentFile extends Disposable {
  file: OpenFile;
}

/**
 * Keeps the files open that are read again and again, a frame each time: to look up and open one takes as long as everything else
 * that a read of the page cache needs, except copying.
 */
export class OpenFiles {
  readonly #kept = new Map<string, KeptFile>();

  /** @param isInside whether a path may be opened; asked each time that it is */
  constructor(private readonly isInside: (path: string) => boolean) {}

  /** Undefined if there is no such file. A file that was deleted or replaced meanwhile is not lent. */
  lend(path: string): LentFile | undefined {
    const known = this.#kept.get(path);
    const isGone = known && fstatSync(known.file.fd).nlink === 0;
    if (isGone) this.forget(path);
    const kept = known && !isGone ? known : this.#open(path);
    if (!kept) return undefined;
    kept.readers++;
    let isLent = true;
    return {
      file: kept.file,
      [Symbol.dispose]: () => {
        if (!isLent) return;
        isLent = false;
        kept.readers--;
        closeUnused(kept);
      },
    };
  }

  /** Closes the file, after its last reader; the path may name another one from now on. */
  forget(path: string): void {
    const kept = this.#kept.get(path);
    if (!kept) return;
    this.#kept.delete(path);
    clearTimeout(kept.timer);
    kept.isKept = false;
    closeUnused(kept);
  }

  #open(path: string): KeptFile | undefined {
    const file = this.isInside(path) ? openFileSync(path) : undefined;
    if (!file) return undefined;
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_KEPT && oldest !== undefined) this.forget(oldest);
    const timer = setTimeout(() => this.forget(path), KEPT_MS).unref();
    const kept = { file, readers: 0, isKept: true, timer };
    this.#kept.set(path, kept);
    return kept;
  }
}

function closeUnused({ file, readers, isKept }: KeptFile): void {
  if (!isKept && readers === 0) file[Symbol.dispose]();
}
