import { open } from "node:fs/promises";
import { MAX_SHARED_BYTES } from "./worker/shared-process.ts";

/** What all uploads together keep. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/** Pieces of one upload: a sender that dribbles would fill the memory with many small ones. */
const MAX_PIECES = 1024;

let allKeptBytes = 0;

/**
 * The bytes of a small upload as they came, kept in memory until it ends: its file is rewritten in place, so they are needed if that
 * is interrupted. A larger upload, and one for which there is no room, is not kept.
 */
export class ReceivedBytes implements Disposable {
  #pieces: Uint8Array[] | undefined = [];
  #keptBytes = 0;

  /** Keeps a piece, which nobody changes. @returns whether it is kept */
  add(piece: Uint8Array): boolean {
    const isTooMuch =
      this.#keptBytes + piece.length > MAX_SHARED_BYTES ||
      allKeptBytes + piece.length > MAX_KEPT_BYTES ||
      this.#pieces?.length === MAX_PIECES;
    if (isTooMuch) this[Symbol.dispose]();
    if (!this.#pieces) return false;
    this.#pieces.push(piece);
    this.#keptBytes += piece.length;
    allKeptBytes += piece.length;
    return true;
  }

  /** Whether all bytes of an upload of `sizeBytes` are here. */
  isWhole(sizeBytes: number): boolean {
    return this.#pieces !== undefined && this.#keptBytes === sizeBytes;
  }

  /** Writes them into the file `path`, whatever it holds. */
  async writeTo(path: string): Promise<void> {
    await using file = await open(path, "w", 0o600);
    for (const piece of this.#pieces ?? []) await file.writeFile(piece);
  }

  [Symbol.dispose](): void {
    allKeptBytes -= this.#keptBytes;
    this.#keptBytes = 0;
    this.#pieces = undefined;
  }
}
