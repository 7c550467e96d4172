import type { FileHandle } from "node:fs/promises";
import { bodyBytes } from "../../runtime/body-bytes.ts";
import type { SpoolRoom } from "./upload-room.ts";

/** Pieces are written together, in one call: a body comes in some 64 kB at a time. */
const WRITE_BYTES = 2 * 1024 * 1024;
const WRITE_PIECES = 256;
/** What all uploads together collect for their next write: each less, the more there are. */
const ALL_WRITE_BYTES = 16 * 1024 * 1024;
/** What came is not kept in memory for longer: of slow senders there may be hundreds. */
const HELD_MS = 500;

let openWriters = 0;

/** Appends pieces to a file in the order they come. After disposal nothing is written any more. */
export class SpoolWriter implements AsyncDisposable {
  readonly #file: FileHandle;
  readonly #room: SpoolRoom;
  readonly #timer: Timer;
  #unwritten: Uint8Array[] = [];
  #unwrittenBytes = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: FileHandle, room: SpoolRoom) {
    openWriters++;
    this.#file = file;
    this.#room = room;
    this.#timer = setInterval(() => {
      // What fails here fails the next piece, or the end.
      this.flush().catch(() => {});
    }, HELD_MS);
    this.#timer.unref();
  }

  /** Takes a piece; waits while much is unwritten. */
  async add(piece: Uint8Array): Promise<void> {
    bodyBytes.hold(piece.length);
    this.#unwritten.push(piece);
    this.#unwrittenBytes += piece.length;
    const mostBytes = Math.min(WRITE_BYTES, ALL_WRITE_BYTES / openWriters);
    if (this.#unwrittenBytes >= mostBytes || this.#unwritten.length >= WRITE_PIECES) await this.flush();
  }

  /** Resolves when all that was added is written. */
  async flush(): Promise<void> {
    const pieces = this.#unwritten;
    const lengthBytes = this.#unwrittenBytes;
    this.#unwritten = [];
    this.#unwrittenBytes = 0;
    if (lengthBytes > 0) {
      this.#writing = this.#writing.then(
        () => this.#write(pieces, lengthBytes),
        (error) => {
          bodyBytes.release(lengthBytes);
          throw error;
        },
      );
    }
    await this.#writing;
  }

  async #write(pieces: Uint8Array[], lengthBytes: number): Promise<void> {
    try {
      await this.#room.take(lengthBytes);
      await writeAll(this.#file, pieces, lengthBytes);
      this.#room.wrote(lengthBytes);
    } finally {
      bodyBytes.release(lengthBytes);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    openWriters--;
    bodyBytes.release(this.#unwrittenBytes);
    await this.#writing.catch(() => {}); // told to whoever added or flushed
  }
}

async function writeAll(file: FileHandle, pieces: Uint8Array[], lengthBytes: number): Promise<void> {
  const { bytesWritten } = await file.writev(pieces);
  if (bytesWritten === lengthBytes) return;
  // A disk about to be full takes a part; the rest meets the error that says so.
  let rest: Uint8Array = Buffer.concat(pieces).subarray(bytesWritten);
  while (rest.length > 0) rest = rest.subarray((await file.write(rest)).bytesWritten);
}
