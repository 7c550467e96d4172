import type { DicomJson, DicomJsonElement } from "../../../shared/dicom/dicom-json.ts";
import { numberOf, textOf } from "../../../shared/dicom/json-values.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { inlineBytes } from "../../../shared/pixels/lookup-table.ts";
import type { Overlay } from "../draw/overlay-picture.ts";
import { OVERLAY_GROUPS } from "./overlays.ts";
import { type BulkDataReader, SourceUnreadable } from "./source.ts";
import type { Slice } from "./stacks.ts";

/** Where the bits of an overlay are, and where it lies over the image. */
export interface OverlayPlane extends Omit<Overlay, "bits"> {
  /** The same for all images that show the same bits. */
  key: string;
  /** Bytes of an element in which the bits are. */
  tag: string;
  offset: number;
  length: number;
  /** Undefined if they are to be asked for. */
  inline: string | undefined;
  /** The place of the first bit in the first byte, and of each next one after the one before it. */
  firstBit: number;
  stride: number;
}

/** More pixels than the largest images have. */
const MAX_PIXELS = 64 * 1024 * 1024;

/** The overlays of one image, as far as they say where their bits are. */
export function overlayPlanes({ metadata, frameIndex, sopInstanceUID }: Slice): OverlayPlane[] {
  return OVERLAY_GROUPS.flatMap((group) => {
    const of = (element: string) => metadata[`${group}${element}`];
    const [rows, columns] = [sizeOf(of("0010")), sizeOf(of("0011"))];
    if (!rows || !columns || rows * columns > MAX_PIXELS) return [];
    const [top, left] = [numberOf(of("0050")) ?? 1, numberOf(of("0050"), 1) ?? 1];
    const isRegion = textOf(of("0040")) === "R";
    const isApart = (numberOf(of("0100")) ?? 1) === 1;
    const bits = isApart
      ? ownBits(of, { group, pixels: rows * columns, frameIndex })
      : bitsOfPixels(metadata, { rows, columns, bit: numberOf(of("0102")), frameIndex });
    if (!bits) return [];
    const key = `${sopInstanceUID}/${group}/${bits.offset}/${bits.firstBit}`;
    return { key, rows, columns, top: top - 1, left: left - 1, isRegion, ...bits };
  });
}

type Bits = Pick<OverlayPlane, "tag" | "offset" | "length" | "inline" | "firstBit" | "stride">;

/** Bits of Overlay Data. Its frames follow each other without padding (PS3.3 §C.9.3). */
function ownBits(
  of: (element: string) => DicomJsonElement | undefined,
  { group, pixels, frameIndex }: { group: string; pixels: number; frameIndex: number },
): Bits | undefined {
  const data = of("3000");
  const at = frameOf(numberOf(of("0015")), numberOf(of("0051")), frameIndex);
  if (at === undefined || (!data?.InlineBinary && !data?.BulkDataURI)) return undefined;
  const first = at * pixels;
  const offset = Math.floor(first / 8);
  const length = Math.ceil((first + pixels) / 8) - offset;
  const inline = data.InlineBinary;
  return { tag: `${group}3000`, offset, length, inline, firstBit: first % 8, stride: 1 };
}

/**
 * Which of an overlay's frames lies over this one. An overlay that counts none lies over each (PS3.3 §C.9.2); others begin with the first
 * image unless they say with which one (§C.9.3.1.1).
 */
function frameOf(count: number | undefined, origin = 1, frameIndex = 0): number | undefined {
  if (count === undefined) return 0;
  const at = frameIndex - (Math.max(1, origin) - 1);
  return Number.isInteger(at) && at >= 0 && at < Math.max(1, count) ? at : undefined;
}

/** An unused bit of each sample, as images of before 2004 have it (PS3.3-2004 §C.9.2). Only native pixel data have such bits. */
function bitsOfPixels(
  metadata: DicomJson,
  {
    rows,
    columns,
    bit,
    frameIndex,
  }: { rows: number; columns: number; bit: number | undefined; frameIndex: number },
): Bits | undefined {
  const number = (tag: string) => numberOf(metadata[tag]);
  const allocated = number(TagHex.BitsAllocated) ?? 0;
  const stored = number(TagHex.BitsStored) ?? allocated;
  const high = number(TagHex.HighBit) ?? stored - 1;
  const isGrey = (number(TagHex.SamplesPerPixel) ?? 1) === 1;
  const isOfImage = rows === number(TagHex.Rows) && columns === number(TagHex.Columns);
  if (!isGrey || !isOfImage || (allocated !== 8 && allocated !== 16)) return undefined;
  if (bit === undefined || !Number.isInteger(bit) || bit < 0 || bit >= allocated) return undefined;
  if (bit <= high && bit > high - stored) return undefined;
  const length = (rows * columns * allocated) / 8;
  const offset = frameIndex * length;
  return { tag: TagHex.PixelData, offset, length, inline: undefined, firstBit: bit, stride: allocated };
}

function sizeOf(element: DicomJsonElement | undefined): number {
  const size = numberOf(element) ?? 0;
  return Number.isInteger(size) && size > 0 && size <= 0xffff ? size : 0;
}

/**
 * Reads the bits of an overlay.
 * @returns undefined if there are fewer than it has pixels, or they are compressed
 * @throws as the source's
 */
export async function readOverlay(
  plane: OverlayPlane,
  slice: Slice,
  { read, signal }: { read: BulkDataReader; signal: AbortSignal },
): Promise<Overlay | undefined> {
  const { tag, offset, length, inline, firstBit, stride } = plane;
  const reading =
    inline === undefined
      ? read(slice, { tag, offset, length }, signal)
      : inlineBytes({ InlineBinary: inline }).subarray(offset, offset + length);
  const bytes = await Promise.resolve(reading).catch(whereReadable);
  if (!bytes || bytes.length < length) return undefined;
  const { rows, columns, top, left, isRegion } = plane;
  const isAsWanted = firstBit === 0 && stride === 1;
  const bits = isAsWanted ? bytes : gathered(bytes, { count: rows * columns, firstBit, stride });
  return { rows, columns, top, left, isRegion, bits };
}

function whereReadable(error: unknown): undefined {
  if (!(error instanceof SourceUnreadable)) throw error;
}

function gathered(
  bytes: Uint8Array,
  { count, firstBit, stride }: { count: number; firstBit: number; stride: number },
): Uint8Array {
  const bits = new Uint8Array(Math.ceil(count / 8));
  for (let at = 0, from = firstBit; at < count; at++, from += stride) {
    // Samples of 16 bits are little-endian, so their bits count on from one byte to the next.
    const bit = ((bytes[from >>> 3] ?? 0) >>> (from & 7)) & 1;
    bits[at >>> 3] = (bits[at >>> 3] ?? 0) | (bit << (at & 7));
  }
  return bits;
}
