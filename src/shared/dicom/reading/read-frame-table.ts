import { Tag } from "../tags.ts";
import { isVideo } from "../transfer-syntax.ts";
import type { ByteReader } from "./byte-reader.ts";
import { type DataSet, type Element, findElement, type ParsedFile } from "./data-set.ts";
import { asciiValue, integerValue } from "./element-text.ts";
import type { FrameTable } from "./frame-table.ts";

type Fragment = [offset: number, length: number];

const CODE_STREAM_START_BYTES = 8;
/** More fragments than any file can have. */
const MAX_FRAMES = 500_000;

/** Reads where the frames of an instance are. Every range in the table is within the pixel data. */
export function readFrameTable(reader: ByteReader, file: ParsedFile): FrameTable {
  const { dataSet, transferSyntaxUID, deflated } = file;
  const pixelData = findElement(dataSet, Tag.PixelData);
  if (pixelData?.fragments) return encapsulated(reader, dataSet, pixelData.fragments, transferSyntaxUID);
  const element =
    pixelData ?? findElement(dataSet, Tag.FloatPixelData) ?? findElement(dataSet, Tag.DoubleFloatPixelData);
  if (!element || element.length === 0) return { kind: "none" };
  const native = nativeFrames(reader, dataSet, element);
  return deflated ? { ...native, deflated } : native;
}

/** NumberOfFrames; 1 if it is absent. */
export function declaredFrameCount(reader: ByteReader, dataSet: DataSet): number {
  return Math.max(1, integerValue(reader, dataSet, Tag.NumberOfFrames) ?? 1);
}

/** Incomplete frames are not counted; pixel data shorter than one frame count as one short frame. */
function nativeFrames(reader: ByteReader, dataSet: DataSet, { tag, offset, length }: Element) {
  const frameCount = declaredFrameCount(reader, dataSet);
  const frameBits = bitsPerFrame(reader, dataSet, tag, length, frameCount);
  const whole = frameBits > 0 ? Math.floor((length * 8) / frameBits) : 0;
  if (whole === 0) {
    return { kind: "native", frameCount: 1, offset, frameBytes: length } as const;
  }
  const table = {
    kind: "native",
    frameCount: Math.min(frameCount, whole),
    offset,
    frameBytes: Math.ceil(frameBits / 8),
  } as const;
  return frameBits % 8 === 0 ? table : { ...table, frameBits };
}

function bitsPerFrame(
  reader: ByteReader,
  dataSet: DataSet,
  pixelTag: number,
  length: number,
  frameCount: number,
): number {
  const rows = integerValue(reader, dataSet, Tag.Rows) ?? 0;
  const columns = integerValue(reader, dataSet, Tag.Columns) ?? 0;
  const samplesPerPixel = integerValue(reader, dataSet, Tag.SamplesPerPixel) || 1;
  const bits = bitsAllocated(reader, dataSet, pixelTag);
  const full = rows * columns * samplesPerPixel * bits;
  const photometric = asciiValue(reader, dataSet, Tag.PhotometricInterpretation) ?? "";
  // Two pixels share their chrominance: four samples per two pixels (PS3.3 §C.7.6.3.1.2).
  const isSubsampled = samplesPerPixel === 3 && /^YBR_(?:FULL|PARTIAL)_422$/.test(photometric);
  return isSubsampled && length * 8 < full * frameCount ? rows * columns * 2 * bits : full;
}

function bitsAllocated(reader: ByteReader, dataSet: DataSet, pixelTag: number): number {
  if (pixelTag === Tag.FloatPixelData) return 32;
  if (pixelTag === Tag.DoubleFloatPixelData) return 64;
  return integerValue(reader, dataSet, Tag.BitsAllocated) || 8;
}

/**
 * Finds the frames of encapsulated pixel data by the Extended Offset Table or the Basic Offset Table. Both may be absent
 * or wrong; then by counting fragments, and at last by the beginnings of code streams.
 */
function encapsulated(
  reader: ByteReader,
  dataSet: DataSet,
  items: Fragment[],
  transferSyntaxUID: string,
): FrameTable {
  const [basicOffsetTable, ...fragments] = items;
  if (!basicOffsetTable || fragments.length === 0) return { kind: "none" };
  const frameCount = isVideo(transferSyntaxUID) ? 1 : declaredFrameCount(reader, dataSet);
  const frames =
    frameCount === 1
      ? (framesByExtendedTable(reader, dataSet, fragments, 1) ?? [fragments])
      : (framesByExtendedTable(reader, dataSet, fragments, frameCount) ??
        framesByOffsets(basicOffsets(reader, dataSet, basicOffsetTable, frameCount), fragments, frameCount) ??
        (fragments.length === frameCount ? fragments.map((fragment) => [fragment]) : undefined) ??
        framesByCodeStreams(reader, fragments));
  return { kind: "encapsulated", frameCount: frames.length, frames };
}

/** Extended Offset Table (PS3.3 §C.7.6.3.1.8): one fragment a frame, its length without padding. */
function framesByExtendedTable(
  reader: ByteReader,
  dataSet: DataSet,
  fragments: Fragment[],
  frameCount: number,
): Fragment[][] | undefined {
  const offsets = unsigned64s(reader, dataSet, Tag.ExtendedOffsetTable, frameCount);
  const lengths = unsigned64s(reader, dataSet, Tag.ExtendedOffsetTableLengths, frameCount);
  if (!offsets || !lengths || frameCount > fragments.length) return undefined;
  const frames = framesByOffsets(offsets, fragments, frameCount);
  return frames?.every((frame, i) => frame.length === 1 && (lengths[i] ?? 0) <= (frame[0]?.[1] ?? 0))
    ? frames.map(([fragment], i) => [[fragment?.[0] ?? 0, lengths[i] ?? 0]])
    : undefined;
}

/** Offsets count from the first fragment's item; they are used only if each one is the beginning of a fragment. */
function framesByOffsets(
  offsets: number[],
  fragments: Fragment[],
  frameCount: number,
): Fragment[][] | undefined {
  if (offsets.length !== frameCount || offsets[0] !== 0) return undefined;
  const base = fragments[0]?.[0] ?? 0;
  const indexByOffset = new Map(fragments.map(([offset], i) => [offset - base, i]));
  const starts = offsets.map((offset) => indexByOffset.get(offset) ?? -1);
  if (starts.some((start, i) => i > 0 && start <= (starts[i - 1] ?? 0))) return undefined;
  return starts.map((start, i) => fragments.slice(start, starts[i + 1] ?? fragments.length));
}

function basicOffsets(
  reader: ByteReader,
  { encoding }: DataSet,
  [offset, length]: Fragment,
  count: number,
): number[] {
  if (length >> 2 !== count || count > MAX_FRAMES) return [];
  return Array.from({ length: length >> 2 }, (_, i) => reader.u32(offset + 4 * i, encoding.littleEndian));
}

/** Undefined unless there are exactly `count` numbers: a table is read only if it can be correct. */
function unsigned64s(reader: ByteReader, dataSet: DataSet, tag: number, count: number): number[] | undefined {
  const element = findElement(dataSet, tag);
  if (!element || element.length >> 3 !== count || count > MAX_FRAMES) return undefined;
  const { littleEndian } = dataSet.encoding;
  return Array.from({ length: element.length >> 3 }, (_, i) =>
    Number(reader.u64(element.offset + 8 * i, littleEndian)),
  );
}

/** A fragment that begins with a code stream begins a frame. Fragments before the first such one belong to the first frame. */
function framesByCodeStreams(reader: ByteReader, fragments: Fragment[]): Fragment[][] {
  const frames: Fragment[][] = [];
  for (const fragment of fragments) {
    const current = frames.at(-1);
    if (current && !opensCodeStream(reader, fragment)) current.push(fragment);
    else frames.push([fragment]);
  }
  return frames;
}

/** JPEG and JPEG-LS (SOI and a marker), JPEG 2000 (SOC, SIZ), JP2 (signature box), RLE (annex G header). */
function opensCodeStream(reader: ByteReader, [offset, length]: Fragment): boolean {
  if (length < CODE_STREAM_START_BYTES) return false;
  const first = reader.u32(offset, false);
  if (first >>> 8 === 0xffd8ff || first === 0xff4fff51 || first === 0x0000000c) return true;
  const segments = reader.u32(offset, true);
  return segments >= 1 && segments <= 15 && reader.u32(offset + 4, true) === 64;
}
