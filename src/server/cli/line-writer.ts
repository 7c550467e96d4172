import { errnoOf } from "../storage/disk/fs-failure.ts";

/** Lines are written in pieces of this many characters. */
const WRITE_CHARS = 64 * 1024;

/**
 * Writes lines to the standard output as fast as they are read. The command goes on if the reader closes the pipe, as `head` does.
 */
export class LineWriter implements AsyncDisposable {
  #text = "";

  constructor() {
    // Whoever writes is told of a failure as well.
    process.stdout.on("error", () => {});
  }

  async add(line: string): Promise<void> {
    this.#text += `${line}\n`;
    if (this.#text.length >= WRITE_CHARS || process.stdout.isTTY) await this.#flush();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#flush();
  }

  async #flush(): Promise<void> {
    // The progress line may be on the same terminal.
    const text = process.stdout.isTTY ? `\r\x1b[K${this.#text}` : this.#text;
    this.#text = "";
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(text, (error) => {
        if (error && errnoOf(error) !== "EPIPE") reject(error);
        else resolve();
      });
    });
  }
}
