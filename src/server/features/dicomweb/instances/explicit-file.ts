import { Tag } from "../../../../shared/dicom/tags.ts";
import { isDeflatedDataSet, TransferSyntax } from "../../../../shared/dicom/transfer-syntax.ts";
import { pixelWordBytes } from "../../../../shared/pixels/decode-native.ts";
import { InstanceDamaged } from "../../../archive/instance-reader.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import { inPieces, joinPieces, piecesOf } from "../../../archive/pieces.ts";
import type { DescribedPixels } from "../../../dicom/explicit-header.ts";
import { elementHeader } from "../../../dicom/write-instance.ts";
import { readUpTo } from "../../../runtime/read-up-to.ts";
import type { ByteRange } from "../../../storage/object-store.ts";
import { readFile } from "../bulk-data/read-file.ts";
import { isSwappable } from "../bulk-data/swap-words.ts";
import { isDecodable } from "../decoded/decoded-frames.ts";
import { framePieces, type NativeFrame, NotDecoded } from "../decoded/frame-decoder.ts";
import type { InstanceBytes } from "../dicomweb.catalogue.ts";
import { swappingReader } from "../frames/little-endian-frames.ts";
import { byPixel, hasElementsBehind, MAX_HEADER_BYTES, readHeader, writeHeader } from "./written-header.ts";

const SYNTAX = TransferSyntax.explicitLittleEndian;
const ENCODING = { explicit: true, littleEndian: true, undefinedLengths: false, utf8: false };
/** A data set without pixels may be as long: contours are few elements with long values. It is in memory twice while it is sent. */
const MAX_DATA_SET_BYTES = 8 * 1024 * 1024;
/** The longest value of an element; the length above stands for an unknown one, and lengths are even (PS3.5 §7.1). */
const MAX_VALUE_BYTES = 0xfffffffe;

/** A file that is written while it is read. Disposal gives up what it holds, read or not. */
export interface WrittenFile extends AsyncDisposable {
  sizeBytes: number;
  pieces: AsyncGenerator<Uint8Array>;
}

/** Whether writing an instance takes so much memory that few are written at once. */
export function isLongDataSet({ frames, sizeBytes, transferSyntaxUID }: ManifestInstance): boolean {
  const isLong = sizeBytes > MAX_HEADER_BYTES && sizeBytes <= MAX_DATA_SET_BYTES;
  return isLong && frames.kind === "none" && !isDeflatedDataSet(transferSyntaxUID);
}

/** Decodes one frame, in the colours of its codec; undefined if nothing here can. */
export type DecodeFrame = (frameIndex: number) => Promise<NativeFrame | undefined>;

/**
 * Writes an instance as Explicit VR Little Endian (PS3.5 §A.2), with native pixel data. No value differs but those that say how the
 * samples lie and what colours a codec made of them, so that it is the same SOP Instance (PS3.4 §B.4.1.3). Its pieces fail if a frame behind
 * the first can't be decoded.
 * @returns undefined if it can't be written
 */
export async function explicitFile(
  reader: InstanceBytes,
  instance: ManifestInstance,
  decode: DecodeFrame,
): Promise<WrittenFile | undefined> {
  const { frames } = instance;
  if (frames.kind === "none") return await withoutPixels(reader, instance);
  if (frames.kind === "encapsulated" && !isDecodable(instance)) return undefined;
  if (await hasElementsBehind(reader, instance)) return undefined;
  const header = await readHeader(reader, instance);
  if (!header) return undefined;
  return frames.kind === "native"
    ? withNativePixels(reader, instance, header)
    : await withDecodedPixels(instance, header, decode);
}

async function withoutPixels(
  reader: InstanceBytes,
  instance: ManifestInstance,
): Promise<WrittenFile | undefined> {
  const isInflated = isDeflatedDataSet(instance.transferSyntaxUID);
  const body = isInflated ? await reader.openInflated(instance) : await reader.open(instance);
  const maxBytes = isLongDataSet(instance) ? MAX_DATA_SET_BYTES : MAX_HEADER_BYTES;
  const whole = await readUpTo(piecesOf(body), maxBytes);
  const written = whole && writeHeader(whole, instance, { syntax: SYNTAX });
  if (!written || written.isCut || written.pixels.vr !== undefined) return undefined;
  return fileOf([written.bytes], 0, async function* () {});
}

function withNativePixels(
  reader: InstanceBytes,
  instance: ManifestInstance,
  header: Uint8Array,
): WrittenFile | undefined {
  const { frames, transferSyntaxUID } = instance;
  const written = writeHeader(header, instance, { syntax: SYNTAX });
  // Frames that end within a byte are counted in bits, and other elements than Pixel Data may have them.
  if (!written?.pixels.vr || frames.kind !== "native" || frames.frameBits) return undefined;
  const range = { offset: frames.offset, length: frames.frameBytes * frames.frameCount };
  const vr = written.pixels.vr === "OB" ? "OB" : "OW";
  const open =
    transferSyntaxUID === TransferSyntax.explicitBigEndian
      ? swapped(reader, instance, written.pixels)
      : (part: ByteRange) => readFile(reader, instance, frames, part);
  return (
    open &&
    fileOf(
      [written.bytes],
      range.length,
      async function* () {
        yield* piecesOf(await open(range));
      },
      { vr },
    )
  );
}

function swapped(
  reader: InstanceBytes,
  instance: ManifestInstance,
  { bitsAllocated = 0, vr }: DescribedPixels,
) {
  const pixelDataAs = vr === "OW" ? "words" : "bytes";
  const wordBytes = pixelWordBytes({ bitsAllocated, pixelDataAs });
  if (wordBytes !== 1 && !isSwappable(wordBytes)) return undefined;
  return swappingReader(reader, instance, wordBytes).read;
}

async function withDecodedPixels(
  { frames, ...instance }: ManifestInstance,
  header: Uint8Array,
  decode: DecodeFrame,
): Promise<WrittenFile | undefined> {
  if (frames.kind !== "encapsulated") return undefined;
  const first = await decode(0);
  if (!first) return undefined;
  const { photometricInterpretation, sizeBytes } = first;
  const replaced = byPixel(photometricInterpretation);
  const written = writeHeader(header, instance, { syntax: SYNTAX, replaced });
  const { frameCount } = frames;
  const pixels = async function* (): AsyncGenerator<Uint8Array> {
    yield* framePieces(first);
    for (let frameIndex = 1; frameIndex < frameCount; frameIndex++) {
      await using frame = await decode(frameIndex);
      const isAlike = frame?.photometricInterpretation === photometricInterpretation;
      if (!frame || !isAlike || frame.sizeBytes !== sizeBytes)
        throw new NotDecoded("a frame behind the first");
      yield* framePieces(frame);
    }
  };
  const vr = (written?.pixels.bitsAllocated ?? 8) > 8 ? "OW" : "OB";
  const file = written && fileOf([written.bytes], sizeBytes * frameCount, pixels, { vr, held: first });
  if (!file) await first[Symbol.asyncDispose]();
  return file;
}

/**
 * @param vr of the pixel data, if there are any
 * @param held what they are read from
 */
function fileOf(
  start: readonly Uint8Array[],
  pixelBytes: number,
  pixels: () => AsyncGenerator<Uint8Array>,
  { vr, held }: { vr?: string; held?: AsyncDisposable } = {},
): WrittenFile | undefined {
  const valueBytes = pixelBytes + (pixelBytes % 2);
  if (valueBytes > MAX_VALUE_BYTES) return undefined;
  const before =
    vr === undefined ? start : start.concat(elementHeader(Tag.PixelData, vr, valueBytes, ENCODING));
  const startBytes = before.reduce((sum, { length }) => sum + length, 0);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    // In pieces, so that what a client took of a long one is known.
    for (const bytes of before) yield* inPieces(bytes);
    yield* pixels();
    if (valueBytes > pixelBytes) yield new Uint8Array(1);
  }
  return {
    sizeBytes: startBytes + valueBytes,
    pieces: pieces(),
    [Symbol.asyncDispose]: async () => held?.[Symbol.asyncDispose](),
  };
}

/** Reads a file that is short. @throws {InstanceDamaged} if it is not as long as its header says */
export async function inMemory({ sizeBytes, pieces }: WrittenFile): Promise<Uint8Array> {
  const bytes = await joinPieces(pieces, sizeBytes);
  if (!bytes) throw new InstanceDamaged("pixel data end early");
  return bytes;
}
