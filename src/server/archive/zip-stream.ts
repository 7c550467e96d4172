import { crc32 } from "node:zlib";
import { encodeMovedHeader, type JoinVolume, readVolumeDirectory } from "./volume-join.ts";
import { encodeCentralHeader, encodeEndRecords, encodeLocalHeader } from "./zip-encode.ts";

/** A volume whose bytes can be streamed. */
export interface StreamedVolume extends JoinVolume {
  open(range: { offset: number; length: number }): Promise<Blob | ReadableStream<Uint8Array>>;
}

/**
 * A ZIP made as it is sent: call the parts in order and yield on what they yield. Volumes are copied as they are,
 * entry for entry. Memory: about 100 bytes an entry, and one file.
 */
export class ZipStream {
  readonly #central: Uint8Array[] = [];
  #offset = 0;

  get entryCount(): number {
    return this.#central.length;
  }

  /** A whole file, stored. `name` is plain ASCII. */
  *file(name: string, bytes: Uint8Array): Generator<Uint8Array> {
    const sizes = { storedBytes: bytes.length, sizeBytes: bytes.length };
    const entry = { name, method: 0, crc32: crc32(bytes), ...sizes } as const;
    this.#central.push(encodeCentralHeader(entry, this.#offset));
    const header = encodeLocalHeader(entry);
    this.#offset += header.length + bytes.length;
    yield header;
    yield bytes;
  }

  /** The entries of a volume under the names they have. @throws {ZipError} where it is none of ours */
  async *volume(volume: StreamedVolume): AsyncGenerator<Uint8Array> {
    const { dataBytes, headers } = await readVolumeDirectory(volume);
    for (const header of headers) this.#central.push(encodeMovedHeader(header, this.#offset));
    this.#offset += dataBytes;
    const body = await volume.open({ offset: 0, length: dataBytes });
    yield* body instanceof Blob ? body.stream() : body;
  }

  /** The directory, last. */
  *end(): Generator<Uint8Array> {
    const directory = Buffer.concat(this.#central);
    const entryCount = this.#central.length;
    yield directory;
    yield encodeEndRecords({ entryCount, centralBytes: directory.length, centralOffset: this.#offset });
  }
}
