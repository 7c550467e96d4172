import { closeSync, fdatasync, openSync, readSync, writeSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { PieceSummer } from "./piece-sums.ts";
import { entryName, volumeFolder } from "./volume-name.ts";
import { encodeCentralHeader, encodeEndRecords, encodeLocalHeader, type WrittenEntry } from "./zip-encode.ts";

/** How much is written in one call. */
export const VOLUME_CHUNK_BYTES = 4 * 1024 * 1024;
/** The file is synced each time this much is written, so that the last sync is short. */
const FLUSH_EVERY_BYTES = 32 * 1024 * 1024;

const flushData = promisify(fdatasync);

/** The source of an entry's bytes, exactly as the volume will hold them: `storedBytes` of them. */
export type EntryBytes = { fd: number; offset: number } | { bytes: Uint8Array };

export type VolumeEntry = Omit<WrittenEntry, "name">;

/** A volume on the disk: the `sha256` of all its bytes (hex), and the CRC-32 of each piece. */
export interface WrittenVolume {
  sizeBytes: number;
  sha256: string;
  crc32s: Uint8Array;
}

/**
 * Writes a volume: a plain ZIP (ZIP64 if needed) of one study's instances in the order they are added. Reads and writes
 * synchronously, so only workers use it. The same entries under the same `volumeId` give the same bytes.
 */
export class VolumeWriter implements AsyncDisposable {
  readonly #fd: number;
  readonly #folder: string;
  readonly #sha256 = new Bun.CryptoHasher("sha256");
  readonly #pieces = new PieceSummer();
  readonly #chunk: Uint8Array;
  readonly #central: Uint8Array[] = [];
  #filled = 0;
  #offset = 0;
  #flushedOffset = 0;
  #flush: Promise<void> | undefined;

  /**
   * Creates the file at `path`, which must not exist. `chunk` is the write buffer, which one writer after another may use.
   */
  constructor(path: string, volumeId: string, chunk: Uint8Array = new Uint8Array(VOLUME_CHUNK_BYTES)) {
    this.#chunk = chunk;
    this.#folder = volumeFolder(volumeId);
    this.#fd = openSync(path, "wx", 0o600);
  }

  /** Appends one entry unchanged and returns where its data begin in the volume. */
  async add(entry: VolumeEntry, source: EntryBytes): Promise<{ dataOffset: number }> {
    const name = entryName(this.#folder, this.#central.length + 1);
    const named = { ...entry, name };
    this.#central.push(encodeCentralHeader(named, this.#offset));
    await this.#append(encodeLocalHeader(named));
    const dataOffset = this.#offset;
    if ("bytes" in source) await this.#append(source.bytes);
    else await this.#copy(source.fd, source.offset, entry.storedBytes);
    if (this.#offset - dataOffset !== entry.storedBytes)
      throw new RangeError("an entry is not as long as it says");
    return { dataOffset };
  }

  /** Finishes the volume and syncs it to the disk. */
  async finish(): Promise<WrittenVolume> {
    const centralOffset = this.#offset;
    for (const header of this.#central) await this.#append(header);
    const centralBytes = this.#offset - centralOffset;
    await this.#append(encodeEndRecords({ entryCount: this.#central.length, centralBytes, centralOffset }));
    await this.#writeChunk();
    await this.#flush;
    this.#startFlush();
    await this.#flush;
    return {
      sizeBytes: this.#offset,
      sha256: this.#sha256.digest("hex"),
      crc32s: this.#pieces.digest(),
    };
  }

  /** Closes the file. A volume that was not finished stays unfinished on the disk. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#flush?.catch(() => {});
    closeSync(this.#fd);
  }

  async #append(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const piece = bytes.subarray(done, done + this.#chunk.length - this.#filled);
      this.#chunk.set(piece, this.#filled);
      done += piece.length;
      await this.#advance(piece.length);
    }
  }

  /** Reads straight into the chunk that is written next, so the bytes are copied only once. */
  async #copy(fd: number, offset: number, length: number): Promise<void> {
    for (let done = 0; done < length; ) {
      const wanted = Math.min(length - done, this.#chunk.length - this.#filled);
      const bytesRead = readSync(fd, this.#chunk, this.#filled, wanted, offset + done);
      if (bytesRead === 0) return;
      done += bytesRead;
      await this.#advance(bytesRead);
    }
  }

  async #advance(length: number): Promise<void> {
    this.#filled += length;
    this.#offset += length;
    if (this.#filled === this.#chunk.length) await this.#writeChunk();
  }

  async #writeChunk(): Promise<void> {
    const chunk = this.#chunk.subarray(0, this.#filled);
    this.#sha256.update(chunk);
    this.#pieces.update(chunk);
    for (let done = 0; done < chunk.length; ) done += writeSync(this.#fd, chunk, done, chunk.length - done);
    this.#filled = 0;
    if (!this.#flush && this.#offset - this.#flushedOffset >= FLUSH_EVERY_BYTES) this.#startFlush();
    // This also lets a worker notice that its parent process is gone.
    await setImmediate();
  }

  /** Starts a sync while more is read and hashed. {@link finish} reports a failure. */
  #startFlush(): void {
    this.#flushedOffset = this.#offset;
    const flush = flushData(this.#fd).then(() => {
      this.#flush = undefined;
    });
    // A failed sync reports only once and the next one succeeds, so the rejected promise is kept.
    flush.catch(() => {});
    this.#flush = flush;
  }
}
