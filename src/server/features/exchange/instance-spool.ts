import { type FileHandle, open } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { FULL_32 } from "../../../shared/zip/zip-format.ts";
import { writeFully } from "../../archive/file-window.ts";
import { entryName, volumeFolder } from "../../archive/volume-name.ts";
import {
  encodeCentralHeader,
  encodeEndRecords,
  encodeLocalHeader,
  type WrittenEntry,
} from "../../archive/zip-encode.ts";
import { AppError } from "../../http/app-error.ts";
import { uploadTooLarge } from "../ingest/ingest.errors.ts";
import { formatSize } from "../ingest/receive-upload.ts";
import { type SpoolRoom, SpoolWriter } from "../ingest/spool-writer.ts";

/** Headers that are written in one turn of the event loop. */
const HEADERS_A_TURN = 1_000;

interface SpooledEntry extends WrittenEntry {
  headerOffset: number;
}

/**
 * Writes a ZIP of files whose lengths are not known before they end. Each local header is written twice: empty before its file,
 * and with checksum and length at the end.
 */
export class InstanceSpool implements AsyncDisposable {
  readonly #file: FileHandle;
  readonly #writer: SpoolWriter;
  readonly #folder = volumeFolder(Bun.randomUUIDv7());
  readonly #entries: SpooledEntry[] = [];
  readonly #maxBytes: number;
  #offset = 0;

  private constructor(file: FileHandle, room: SpoolRoom, maxBytes: number) {
    this.#file = file;
    this.#writer = new SpoolWriter(file, room);
    this.#maxBytes = maxBytes;
  }

  /** Creates the file at `path`, which must not exist. */
  static async open(path: string, room: SpoolRoom, maxBytes: number): Promise<InstanceSpool> {
    return new InstanceSpool(await open(path, "wx", 0o600), room, maxBytes);
  }

  /** Names of the entries, in the order in which they were added. */
  get names(): string[] {
    return this.#entries.map(({ name }) => name);
  }

  /** Adds a file. @throws {AppError} `upload.too_large` */
  async add(content: AsyncIterable<Uint8Array>): Promise<void> {
    const name = entryName(this.#folder, this.#entries.length + 1);
    const headerOffset = this.#offset;
    await this.#append(encodeLocalHeader({ name, method: 0, crc32: 0, storedBytes: 0, sizeBytes: 0 }));
    const start = this.#offset;
    let checksum = 0;
    for await (const piece of content) {
      checksum = crc32(piece, checksum);
      await this.#append(piece);
    }
    const sizeBytes = this.#offset - start;
    if (sizeBytes >= FULL_32) throw this.#tooLarge();
    this.#entries.push({
      name,
      method: 0,
      crc32: checksum,
      headerOffset,
      storedBytes: sizeBytes,
      sizeBytes,
    });
  }

  /** Writes the directory and the headers; returns the size of the whole. */
  async finish(): Promise<number> {
    const centralOffset = this.#offset;
    for (const entry of this.#entries) await this.#append(encodeCentralHeader(entry, entry.headerOffset));
    const centralBytes = this.#offset - centralOffset;
    await this.#append(encodeEndRecords({ entryCount: this.#entries.length, centralBytes, centralOffset }));
    await this.#writer.flush();
    for (const [index, entry] of this.#entries.entries()) {
      writeFully(this.#file.fd, encodeLocalHeader(entry), entry.headerOffset);
      if (index % HEADERS_A_TURN === HEADERS_A_TURN - 1) await setImmediate();
    }
    return this.#offset;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer[Symbol.asyncDispose]();
    await this.#file.close();
  }

  async #append(bytes: Uint8Array): Promise<void> {
    this.#offset += bytes.length;
    if (this.#offset > this.#maxBytes) throw this.#tooLarge();
    await this.#writer.add(bytes);
  }

  #tooLarge(): AppError {
    return new AppError(uploadTooLarge, { values: { maximum: formatSize(this.#maxBytes) } });
  }
}
