import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import type { KeptVariant } from "../../archive/manifest.ts";
import type { MediaFile } from "./plan-media.ts";

const zip = promisify(zstdCompress);
const unzip = promisify(zstdDecompress);

const FILES_A_CHUNK = 1_000;

/** A file of a medium, without what its directory says of it. */
export interface CopiedFile {
  name: string;
  instance: MediaFile["instance"] | KeptVariant;
}

/** The files of a medium, compressed: some 40 bytes each, because a client may take a medium for hours. */
export class PackedFiles {
  readonly #chunks: Uint8Array[] = [];

  static async of(files: readonly CopiedFile[]): Promise<PackedFiles> {
    const packed = new PackedFiles();
    for (let at = 0; at < files.length; at += FILES_A_CHUNK) {
      const chunk = files.slice(at, at + FILES_A_CHUNK).map(({ name, instance }) => ({ name, instance }));
      packed.#chunks.push(await zip(JSON.stringify(chunk)));
    }
    return packed;
  }

  get sizeBytes(): number {
    return this.#chunks.reduce((sum, { length }) => sum + length, 0);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<CopiedFile> {
    for (const chunk of this.#chunks) yield* JSON.parse((await unzip(chunk)).toString()) as CopiedFile[];
  }
}
