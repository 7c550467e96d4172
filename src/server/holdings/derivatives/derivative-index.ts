import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { ByteRange } from "../../storage/object-store.ts";

/** The wavelet decompositions of each frame; a frame has one resolution more. */
export const DECOMPOSITIONS = 5;
const RESOLUTIONS = DECOMPOSITIONS + 1;

/**
 * How this release makes copies. Releases before the second one did not say it; they stored colours, and samples with a sign in up to 8
 * bits, so that only codec-openjph read them right, and took such samples of JPEG 2000 for zeros where they were negative.
 */
const MADE_AS = 2;

/** More frames than any series that a person scrolls. */
export const MAX_DERIVED_FRAMES = 32_768;
/** The JSON of so many frames and instances stays below this. */
const MAX_INDEX_BYTES = 16 * 1024 * 1024;

/** One frame's code stream in the object. */
export interface DerivedFrame extends ByteRange {
  crc32: number;
  /** The length of the prefix that ends with each resolution, from the smallest picture to the whole one. */
  prefixLengths: number[];
}

export interface DerivedInstance {
  sopInstanceUID: string;
  /** Where, in the inflated metadata of the series, another AvailableTransferSyntaxUID can be inserted. */
  metadataOffset?: number;
  frames: DerivedFrame[];
}

/** What the copy of a series contains. Instances without a copy are not in it. */
export interface DerivativeIndex {
  instances: DerivedInstance[];
  /** Whether a release made it that stored some frames wrong. */
  isEarly?: boolean;
}

/** The index of an object contradicts itself, or is of another version. */
export class DerivativeUnreadable extends Error {
  override name = "DerivativeUnreadable";
}

interface PackedInstance {
  uid: string;
  at?: number;
  /** For each frame: offset, length, CRC-32, prefix lengths. */
  frames: number[];
}

interface PackedIndex {
  version: unknown;
  madeAs?: number;
  instances: PackedInstance[];
}

const NUMBERS_A_FRAME = 3 + RESOLUTIONS;

export function encodeIndex({ instances }: Pick<DerivativeIndex, "instances">): Uint8Array {
  const packed = instances.map(
    ({ sopInstanceUID, metadataOffset, frames }): PackedInstance => ({
      uid: sopInstanceUID,
      ...(metadataOffset !== undefined && { at: metadataOffset }),
      frames: frames.flatMap(({ offset, length, crc32, prefixLengths }) => [
        offset,
        length,
        crc32,
        ...prefixLengths,
      ]),
    }),
  );
  return zstdCompressSync(Buffer.from(JSON.stringify({ version: 1, madeAs: MADE_AS, instances: packed })));
}

/** @throws {DerivativeUnreadable} */
export function decodeIndex(bytes: Uint8Array): DerivativeIndex {
  const json = zstdDecompressSync(bytes, { maxOutputLength: MAX_INDEX_BYTES }).toString();
  const { version, madeAs, instances } = JSON.parse(json) as PackedIndex;
  if (version !== 1 || !Array.isArray(instances)) throw new DerivativeUnreadable("another version");
  return { instances: instances.map(unpack), isEarly: madeAs === undefined };
}

function unpack({ uid, at, frames }: PackedInstance): DerivedInstance {
  if (frames.length % NUMBERS_A_FRAME !== 0) throw new DerivativeUnreadable("a frame is incomplete");
  return {
    sopInstanceUID: uid,
    ...(at !== undefined && { metadataOffset: at }),
    frames: Array.from({ length: frames.length / NUMBERS_A_FRAME }, (_, place) => {
      const start = place * NUMBERS_A_FRAME;
      const [offset = 0, length = 0, crc32 = 0, ...prefixLengths] = frames.slice(
        start,
        start + NUMBERS_A_FRAME,
      );
      return { offset, length, crc32, prefixLengths };
    }),
  };
}

/** About how many bytes an index takes in memory. */
export function weightOf({ instances }: DerivativeIndex): number {
  return instances.reduce((sum, { frames }) => sum + 300 + frames.length * 160, 300);
}
