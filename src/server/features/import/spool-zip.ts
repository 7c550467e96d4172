import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { writeFully } from "../../archive/file-window.ts";
import { entryName, volumeFolder } from "../../archive/volume-name.ts";
import {
  encodeCentralHeader,
  encodeEndRecords,
  encodeLocalHeader,
  type WrittenEntry,
} from "../../archive/zip-encode.ts";
import type { SpoolRoom } from "../ingest/spool-writer.ts";

const CHUNK_BYTES = 1024 * 1024;
/** What a ZIP holds beside the bytes of one file: both headers with their names. */
export const ENTRY_OVERHEAD_BYTES = 256;

/** Bytes that a ZIP can hold as they are. */
export interface RawEntry extends Omit<WrittenEntry, "name"> {
  fd: number;
  offset: number;
}

/** Writes a ZIP of files one after the other, through one buffer. Its entries have numbers as names. */
export class SpoolZip implements Disposable {
  readonly #fd: number;
  readonly #room: SpoolRoom;
  readonly #folder: string;
  readonly #central: Uint8Array[] = [];
  readonly #chunk = new Uint8Array(CHUNK_BYTES);
  #offset = 0;

  /** Creates the file at `path`, which must not exist. */
  constructor(path: string, room: SpoolRoom, id: string) {
    this.#room = room;
    this.#folder = volumeFolder(id);
    this.#fd = openSync(path, "wx", 0o600);
  }

  /** Adds an open file as it is now; returns its name. The room is taken for the size that it had when it was opened. */
  async addFile(fd: number): Promise<string> {
    const { size } = fstatSync(fd);
    const name = this.#nextName();
    const start = this.#offset;
    // The header is as long with the right checksum and length as with these.
    const stored = { name, method: 0, crc32: 0, storedBytes: size, sizeBytes: size } as const;
    const header = encodeLocalHeader(stored);
    await this.#room.take(header.length + size);
    const copied = await this.#copy(fd, 0, start + header.length, size);
    // A file that became shorter keeps the length of its header, and the checksum of what was read refuses it later.
    const entry = {
      ...stored,
      crc32: copied.crc32,
      ...(copied.bytes < size && this.#shortened(stored, copied.bytes)),
    };
    writeFully(this.#fd, encodeLocalHeader(entry), start);
    this.#end(entry, start, header.length + copied.bytes);
    return name;
  }

  /** Adds an entry of another ZIP unchanged. */
  async addRaw({ fd, offset, ...entry }: RawEntry): Promise<string> {
    const named = { ...entry, name: this.#nextName() };
    const start = this.#offset;
    const header = encodeLocalHeader(named);
    await this.#room.take(header.length + entry.storedBytes);
    writeFully(this.#fd, header, start);
    await this.#copy(fd, offset, start + header.length, entry.storedBytes);
    this.#end(named, start, header.length + entry.storedBytes);
    return named.name;
  }

  /** Writes the directory; returns the size of the whole. */
  async finish(): Promise<number> {
    const centralOffset = this.#offset;
    const centralBytes = this.#central.reduce((sum, { length }) => sum + length, 0);
    const end = encodeEndRecords({ entryCount: this.#central.length, centralBytes, centralOffset });
    const directory = Buffer.concat([...this.#central, end]);
    await this.#room.take(directory.length);
    writeFully(this.#fd, directory, centralOffset);
    this.#room.wrote(directory.length);
    return centralOffset + directory.length;
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }

  #nextName(): string {
    return entryName(this.#folder, this.#central.length + 1);
  }

  #shortened(entry: WrittenEntry, bytes: number): Partial<WrittenEntry> {
    const shorter = { ...entry, storedBytes: bytes, sizeBytes: bytes };
    const isAsLong = encodeLocalHeader(shorter).length === encodeLocalHeader(entry).length;
    return isAsLong ? { storedBytes: bytes, sizeBytes: bytes } : {};
  }

  #end(entry: WrittenEntry, start: number, bytes: number): void {
    this.#central.push(encodeCentralHeader(entry, start));
    this.#offset = start + bytes;
    this.#room.wrote(bytes);
  }

  /** Copies up to `length` bytes; returns how many there were, and their checksum. */
  async #copy(
    fd: number,
    from: number,
    to: number,
    length: number,
  ): Promise<{ bytes: number; crc32: number }> {
    let bytes = 0;
    let checksum = 0;
    while (bytes < length) {
      const read = readSync(fd, this.#chunk, 0, Math.min(CHUNK_BYTES, length - bytes), from + bytes);
      if (read === 0) break;
      const piece = this.#chunk.subarray(0, read);
      checksum = crc32(piece, checksum);
      writeFully(this.#fd, piece, to + bytes);
      bytes += read;
      if (read === CHUNK_BYTES) await setImmediate();
    }
    return { bytes, crc32: checksum };
  }
}
