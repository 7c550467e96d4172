import { crc32 } from "node:zlib";
import { encodeMovedHeader, type JoinVolume, readVolumeDirectory } from "./volume-join.ts";
import { encodeCentralHeader, encodeEndRecords, encodeLocalHeader, type WrittenEntry } from "./zip-encode.ts";

/** A volume whose bytes can be streamed. */
export interface StreamedVolume extends JoinVolume {
  open(range: { offset: number; length: number }): Promise<Blob | ReadableStream<Uint8Array>>;
}

/** What is sent is copied for a client that takes it slowly. */
const SENT_AT_ONCE_BYTES = 64 * 1024;

/**
 * A ZIP that is made while it is sent: call its parts in order and yield what they yield. Volumes are copied entry for
 * entry, unchanged. Memory: about 100 bytes for each entry, and one file.
 */
export class ZipStream {
  readonly #central: Uint8Array[] = [];
  #offset = 0;

  get entryCount(): number {
    return this.#central.length;
  }

  /** A whole file, stored, of pieces that are all in memory. `name` is plain ASCII. */
  *file(name: string, ...pieces: Uint8Array[]): Generator<Uint8Array> {
    const sizeBytes = pieces.reduce((sum, { length }) => sum + length, 0);
    const checksum = pieces.reduce((sum, piece) => crc32(piece, sum), 0);
    const entry: WrittenEntry = { name, method: 0, crc32: checksum, storedBytes: sizeBytes, sizeBytes };
    this.#central.push(encodeCentralHeader(entry, this.#offset));
    yield this.#begin(entry);
    this.#offset += sizeBytes;
    for (const piece of pieces)
      for (let at = 0; at < piece.length; at += SENT_AT_ONCE_BYTES)
        yield piece.subarray(at, at + SENT_AT_ONCE_BYTES);
  }

  /**
   * An entry of another ZIP under a name of its own, copied unchanged. One that can't be read to its end is left out of the directory.
   * @throws {RangeError} if `stored` is not as long as the entry; whatever reading it throws
   */
  async *entry(entry: WrittenEntry, stored: Blob | ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    const central = encodeCentralHeader(entry, this.#offset);
    yield this.#begin(entry);
    const end = this.#offset + entry.storedBytes;
    yield* this.#counted(stored);
    if (this.#offset !== end) throw new RangeError("an entry is not as long as its header says");
    this.#central.push(central);
  }

  /** Counts an entry's local header, and returns it. */
  #begin(entry: WrittenEntry): Uint8Array {
    const header = encodeLocalHeader(entry);
    this.#offset += header.length;
    return header;
  }

  /**
   * The entries of a volume under their own names. If reading fails with an error that `isSkippable` accepts, the
   * remaining entries are read one by one. Those that can't be read to their end are left out of the directory, and
   * their names are returned.
   * @throws {ZipError} if this server did not write the volume
   */
  async *volume(
    volume: StreamedVolume,
    isSkippable: (error: unknown) => boolean = () => false,
  ): AsyncGenerator<Uint8Array, string[]> {
    const { dataBytes, headers } = await readVolumeDirectory(volume);
    const entries = [...headers].sort((a, b) => a.headerOffset - b.headerOffset);
    const startOf = (index: number) => (index === 0 ? 0 : (entries[index]?.headerOffset ?? dataBytes));
    const leftOut: string[] = [];
    let sentEntries = 0;
    for (let next = 0, isRun = true; next < entries.length; next += sentEntries, isRun = false) {
      const from = startOf(next);
      const movedBy = this.#offset - from;
      try {
        const length = (isRun ? dataBytes : startOf(next + 1)) - from;
        yield* this.#counted(await volume.open({ offset: from, length }));
      } catch (error) {
        if (!isSkippable(error)) throw error;
      }
      const sentTo = this.#offset - movedBy;
      for (sentEntries = 0; next + sentEntries < entries.length; sentEntries++) {
        const header = entries[next + sentEntries];
        if (!header || startOf(next + sentEntries + 1) > sentTo) break;
        this.#central.push(encodeMovedHeader(header, movedBy));
      }
      // The entry at which the run failed may be readable by itself.
      if (sentEntries > 0 || isRun) continue;
      leftOut.push(Buffer.from(entries[next]?.nameBytes ?? []).toString("latin1"));
      sentEntries = 1;
    }
    return leftOut;
  }

  async *#counted(body: Blob | ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body instanceof Blob ? body.stream() : body) {
      this.#offset += chunk.length;
      yield chunk;
    }
  }

  /** The directory; call it last. */
  *end(): Generator<Uint8Array> {
    const directory = Buffer.concat(this.#central);
    const entryCount = this.#central.length;
    yield directory;
    yield encodeEndRecords({ entryCount, centralBytes: directory.length, centralOffset: this.#offset });
  }
}
