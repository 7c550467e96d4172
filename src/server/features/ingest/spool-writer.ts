import type { FileHandle } from "node:fs/promises";
import { bodyBytes } from "../../runtime/body-bytes.ts";
import { freeBytes } from "../../runtime/free-bytes.ts";

/** Pieces are joined into writes of this size, since a body arrives in pieces of about 64 kB. One is written while the next is collected. */
const WRITE_BYTES = 1024 * 1024;
const WRITE_PIECES = 256;
/** What all uploads together may collect for their next writes; they share it equally. */
const ALL_WRITE_BYTES = 8 * 1024 * 1024;
/** Pieces stay in memory no longer than this, since there may be hundreds of slow senders. */
const HELD_MS = 500;

let openWriters = 0;

/** The space into which a body is written as it arrives. */
export interface SpoolRoom {
  /** Call it before `bytes` more are written. @throws {DiskFull} @throws {AppError} `quota.bytes` */
  take(bytes: number): Promise<void>;
  /** Call it after they are written. */
  wrote(bytes: number): void;
}

/** Writes pieces to a file in their order, from an offset on. Nothing is written after disposal. */
export class SpoolWriter implements AsyncDisposable {
  readonly #file: FileHandle;
  readonly #room: SpoolRoom;
  readonly #timer: Timer;
  #unwritten: Uint8Array[] = [];
  readonly #given = new Set<Uint8Array>();
  #unwrittenBytes = 0;
  #offset: number;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: FileHandle, room: SpoolRoom, offset = 0) {
    this.#offset = offset;
    openWriters++;
    this.#file = file;
    this.#room = room;
    this.#timer = setInterval(() => this.#beginWrite(), HELD_MS);
    this.#timer.unref();
  }

  /** Takes a piece; waits until only the last pieces are being written. */
  async add(piece: Uint8Array): Promise<void> {
    bodyBytes.hold(piece.length);
    this.#unwritten.push(piece);
    this.#unwrittenBytes += piece.length;
    const mostBytes = Math.min(WRITE_BYTES, ALL_WRITE_BYTES / openWriters);
    if (this.#unwrittenBytes < mostBytes && this.#unwritten.length < WRITE_PIECES) return;
    const former = this.#writing;
    this.#beginWrite();
    await former;
  }

  /** Takes a piece that nobody else uses: its memory is given back as soon as it is written. */
  async give(piece: Uint8Array): Promise<void> {
    this.#given.add(piece);
    await this.add(piece);
  }

  /** Resolves when everything added is written. */
  async flush(): Promise<void> {
    this.#beginWrite();
    await this.#writing;
  }

  #beginWrite(): void {
    const pieces = this.#unwritten;
    const lengthBytes = this.#unwrittenBytes;
    this.#unwritten = [];
    this.#unwrittenBytes = 0;
    if (lengthBytes === 0) return;
    this.#writing = this.#writing.then(
      () => this.#write(pieces, lengthBytes),
      (error) => {
        bodyBytes.release(lengthBytes);
        throw error;
      },
    );
    // A failure is thrown at the next piece or at the end.
    this.#writing.catch(() => {});
  }

  async #write(pieces: Uint8Array[], lengthBytes: number): Promise<void> {
    try {
      await this.#room.take(lengthBytes);
      await writeAll(this.#file, pieces, lengthBytes, this.#offset);
      this.#offset += lengthBytes;
      this.#room.wrote(lengthBytes);
      for (const piece of pieces) if (this.#given.delete(piece)) freeBytes(piece);
    } finally {
      bodyBytes.release(lengthBytes);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    openWriters--;
    bodyBytes.release(this.#unwrittenBytes);
    await this.#writing.catch(() => {}); // thrown to the caller that added or flushed
  }
}

async function writeAll(
  file: FileHandle,
  pieces: Uint8Array[],
  lengthBytes: number,
  offset: number,
): Promise<void> {
  let { bytesWritten: done } = await file.writev(pieces, offset);
  if (done === lengthBytes) return;
  // A disk that is nearly full takes a part; writing the rest throws the error.
  const all = Buffer.concat(pieces);
  while (done < lengthBytes)
    done += (await file.write(all, done, lengthBytes - done, offset + done)).bytesWritten;
}
