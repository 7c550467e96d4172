import { promisify } from "node:util";
import { constants, createZstdCompress, zstdCompress } from "node:zlib";
import { TransferSyntax } from "../../../../shared/dicom/transfer-syntax.ts";
import { openMetadataJson } from "../../../archive/metadata-json.ts";
import { joinPieces, type Pieces, through } from "../../../archive/pieces.ts";
import type { Derivative } from "../../../holdings/derivatives/derivative.ts";
import { streamOf } from "../../../http/stream-of.ts";
import type { ByteRange } from "../../../storage/object-store.ts";
import type { StoredMetadata } from "../dicomweb.catalogue.ts";

const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };
const zstd = promisify(zstdCompress);

const INSERTED = Buffer.from(`,"${TransferSyntax.htJpeg2000Rpcl}"`);

export interface NamingOptions {
  /** Larger metadata are never in memory as a whole. */
  maxAtOnceBytes: number;
  /** Returns bytes kept under a name, or makes and keeps them. */
  keep(name: string, make: () => Promise<Uint8Array>): Promise<Uint8Array>;
}

/** The metadata of a series in which instances with a lossless copy name its transfer syntax beside their own. */
export function nameSyntax(
  stored: StoredMetadata,
  derivative: Derivative,
  { maxAtOnceBytes, keep }: NamingOptions,
): StoredMetadata {
  const offsets = [...derivative.instances.values()]
    .flatMap(({ metadataOffset }) => (metadataOffset === undefined ? [] : [metadataOffset]))
    .sort((a, b) => a - b);
  const inflatedBytes = stored.inflatedBytes + offsets.length * INSERTED.length;
  const inserted = async () => insertAt(await openMetadataJson(stored), offsets);
  const shift = ({ offset, length }: ByteRange): ByteRange => {
    const before = countBelow(offsets, offset);
    const within = countBelow(offsets, offset + length) - before;
    return { offset: offset + before * INSERTED.length, length: length + within * INSERTED.length };
  };
  return {
    encoding: "zstd",
    version: `${stored.version}.${derivative.version}`,
    inflatedBytes,
    async open() {
      if (inflatedBytes > maxAtOnceBytes)
        return streamOf(through(await inserted(), createZstdCompress(ZSTD)));
      return await keep(`${derivative.version} zstd`, async () => {
        const json = await joinPieces(await inserted(), inflatedBytes);
        if (!json) throw new RangeError("metadata of another length");
        return await zstd(json, ZSTD);
      });
    },
    packed: (form, pack) => keep(`${derivative.version} ${form}`, pack),
    async rangeOf(sopInstanceUID) {
      const range = await stored.rangeOf(sopInstanceUID);
      return range && shift(range);
    },
    ranges: async () => (await stored.ranges()).map(shift),
  };
}

/** Inserts the syntax at each of the offsets, which are in order and count without what is inserted. */
async function* insertAt(pieces: Pieces, offsets: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  let next = 0;
  for await (const piece of pieces) {
    const parts: Uint8Array[] = [];
    let done = 0;
    for (; (offsets[next] ?? Number.POSITIVE_INFINITY) < start + piece.length; next++) {
      const at = (offsets[next] ?? 0) - start;
      parts.push(piece.subarray(done, at), INSERTED);
      done = at;
    }
    parts.push(piece.subarray(done));
    start += piece.length;
    yield parts.length === 1 ? piece : Buffer.concat(parts);
  }
}

/** How many of the numbers, which are in order, are below `limit`. */
function countBelow(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
