import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../../storage/disk/fs-failure.ts";

const MAX_BYTES = 1024 * 1024;

/** A log file of at most 1 MiB, and the previous one (`name.1`). What can't be written is left out: the disk may be full. */
export class BoundedLog {
  readonly #path: string;
  #sizeBytes: number;

  constructor(folder: string, name: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#path = join(folder, name);
    this.#sizeBytes = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
  }

  write(text: Uint8Array): void {
    try {
      this.#append(text);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
    }
  }

  #append(text: Uint8Array): void {
    if (this.#sizeBytes > 0 && this.#sizeBytes + text.length > MAX_BYTES) {
      renameSync(this.#path, `${this.#path}.1`);
      this.#sizeBytes = 0;
    }
    appendFileSync(this.#path, text, { mode: 0o600 });
    this.#sizeBytes += text.length;
  }
}
