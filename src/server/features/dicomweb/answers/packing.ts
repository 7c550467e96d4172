import { promisify } from "node:util";
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from "node:zlib";
import { type Pieces, through } from "../../../archive/pieces.ts";
import type { ContentCoding } from "../../../http/content-coding.ts";

const brotli = promisify(brotliCompress);
const gz = promisify(gzip);
const zstd = promisify(zstdCompress);

/** A smaller answer fits into one packet and is not compressed. */
export const MIN_COMPRESSED_BYTES = 1_400;

/** The codings of answers, from the one that is unpacked fastest. */
export const CODINGS = ["zstd", "br", "gzip"] as const;
export type Packing = (typeof CODINGS)[number];

/** The step of compressing at once; each step is one turn of the event loop. */
const AT_ONCE = { chunkSize: 512 * 1024 };
/** Low compression levels: 5 MB of metadata take 20 ms, and the result is only a few kilobytes larger than at the highest. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const GZIP = { level: 3 };
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

export function packedAtOnce(bytes: Uint8Array, coding: Packing): Promise<Uint8Array> {
  switch (coding) {
    case "zstd":
      return zstd(bytes, ZSTD);
    case "br":
      return brotli(bytes, { ...BROTLI, ...AT_ONCE });
    case "gzip":
      return gz(bytes, { ...GZIP, ...AT_ONCE });
  }
}

/** The pieces in a coding; they are packed while the client takes them. */
export function packedPieces(pieces: Pieces, coding: ContentCoding): Pieces {
  return coding === "identity" ? pieces : through(pieces, packer(coding));
}

function packer(coding: Packing) {
  switch (coding) {
    case "zstd":
      return createZstdCompress(ZSTD);
    case "br":
      return createBrotliCompress(BROTLI);
    case "gzip":
      return createGzip(GZIP);
  }
}
