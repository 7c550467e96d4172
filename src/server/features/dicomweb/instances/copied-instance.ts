import { setImmediate } from "node:timers/promises";
import { Tag } from "../../../../shared/dicom/tags.ts";
import { TransferSyntax } from "../../../../shared/dicom/transfer-syntax.ts";
import {
  componentCount,
  firstComponent,
  hasColourTransform,
  imageSize,
} from "../../../../shared/pixels/code-stream.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import { piecesOf } from "../../../archive/pieces.ts";
import type { DescribedPixels } from "../../../dicom/explicit-header.ts";
import { delimiter, elementHeader } from "../../../dicom/write-instance.ts";
import type { Derivative } from "../../../holdings/derivatives/derivative.ts";
import type { DerivedFrame } from "../../../holdings/derivatives/derivative-index.ts";
import { streamOf } from "../../../http/stream-of.ts";
import type { NamedRepresentation } from "../answers/media-types.ts";
import { fileResponse, fileVersion } from "./file-answer.ts";
import { byPixel, type FileBytes, hasElementsBehind, readHeader, writeHeader } from "./written-header.ts";

/** The syntaxes of a file with the frames of a copy: its own, and the one that its own is a kind of. */
export const COPIED_SYNTAXES = [TransferSyntax.htJpeg2000Rpcl, TransferSyntax.htJpeg2000Lossless] as const;
/** Frames of a larger file are checked only while they are sent, and the file is cut if one is damaged. */
const MAX_READ_TWICE_BYTES = 256 * 1024 * 1024;
const MAX_TABLE_OFFSET = 0xffffffff;

/** An instance with the frames of its lossless copy, as a client takes it. */
export interface CopiedInstance {
  representation: NamedRepresentation;
  frames: readonly DerivedFrame[];
  derivative: Derivative;
  /** The value of `ETag`. */
  version: string;
}

/** The copy of an instance in one of {@link COPIED_SYNTAXES}. Undefined if there is no copy of each frame. */
export async function findCopiedInstance(
  instance: ManifestInstance,
  representation: NamedRepresentation,
  findCopy: () => Promise<Derivative | undefined>,
): Promise<CopiedInstance | undefined> {
  const { frames: stored, sopInstanceUID, volumeId, dataOffset } = instance;
  if (stored.kind === "none") return undefined;
  const derivative = await findCopy();
  const frames = derivative?.instances.get(sopInstanceUID)?.frames ?? [];
  if (!derivative || frames.length === 0 || frames.length !== stored.frameCount) return undefined;
  const name = `${volumeId}.${dataOffset}.${derivative.version}.${representation.syntax}`;
  return { representation, frames, derivative, version: fileVersion(name, representation) };
}

/**
 * Answers a new file (PS3.10 §7) with the instance's data set and the frames of its copy encapsulated, in the transfer syntax that
 * the client names. No sample differs, so that it is the same SOP Instance (PS3.4 §B.4.1.3). `allow` is called before the first byte.
 * Undefined if the copy can't be read, or if the file would not say of its pixels what its frames do.
 * @throws {InstanceDamaged}
 */
export async function copiedInstanceResponse(
  catalogue: FileBytes,
  instance: ManifestInstance,
  copied: CopiedInstance,
  allow: () => Promise<void>,
): Promise<Response | undefined> {
  const { representation, frames, derivative } = copied;
  const { syntax } = representation;
  if (await hasElementsBehind(catalogue, instance)) return undefined;
  const header = await readHeader(catalogue, instance);
  const first = header && (await derivative.readFrame(instance.sopInstanceUID, 0));
  if (!first) return undefined;
  const replaced = byPixel(hasColourTransform(first.bytes) ? "YBR_RCT" : undefined);
  const written = writeHeader(header, instance, { syntax, replaced });
  if (!written || !(await areDescribed(instance, copied, written.pixels))) return undefined;
  const start = [written.bytes, ...pixelDataStart(frames)];
  const file = streamOf(filePieces(start, instance, copied));
  await allow();
  const sizeBytes = start.reduce((sum, { length }) => sum + length, 0) + itemsLength(frames) + END.length;
  return fileResponse(file, { syntax, sizeBytes }, representation);
}

/**
 * Whether the frames are as the data set says (PS3.5 §8.2.4): a copy that keeps what old files have in the bits beside the stored
 * ones has more bits. Reads all frames of a file that is not very large, which checks them too, otherwise the first.
 */
async function areDescribed(
  { sopInstanceUID }: ManifestInstance,
  { frames, derivative }: CopiedInstance,
  pixels: DescribedPixels,
): Promise<boolean> {
  const count = itemsLength(frames) <= MAX_READ_TWICE_BYTES ? frames.length : 1;
  for (let frameIndex = 0; frameIndex < count; frameIndex++) {
    const frame = await derivative.readFrame(sopInstanceUID, frameIndex);
    if (!frame || !isDescribed(frame.bytes, pixels)) return false;
    await setImmediate();
  }
  return true;
}

function isDescribed(codeStream: Uint8Array, pixels: DescribedPixels): boolean {
  const { bits, isSigned } = firstComponent(codeStream);
  const { columns, rows } = imageSize(codeStream);
  return (
    bits === pixels.bitsStored &&
    isSigned === pixels.isSigned &&
    columns === pixels.columns &&
    rows === pixels.rows &&
    componentCount(codeStream) === pixels.samplesPerPixel
  );
}

const ENCODING = { explicit: true, littleEndian: true, undefinedLengths: true, utf8: false };
const UNDEFINED_LENGTH = 0xffffffff;
const END = delimiter(Tag.SequenceDelimitationItem, 0, true);

const padded = (length: number) => length + (length % 2);
const itemsLength = (frames: readonly DerivedFrame[]) =>
  frames.reduce((sum, { length }) => sum + 8 + padded(length), 0);

/** The beginning of the element, and its Basic Offset Table; that is empty where an offset would be too great for it. */
function pixelDataStart(frames: readonly DerivedFrame[]): Uint8Array[] {
  const isListed = itemsLength(frames) <= MAX_TABLE_OFFSET;
  const table = new Uint8Array(isListed ? frames.length * 4 : 0);
  const view = new DataView(table.buffer);
  let offset = 0;
  for (const [place, { length }] of frames.entries()) {
    if (!isListed) break;
    view.setUint32(place * 4, offset, true);
    offset += 8 + padded(length);
  }
  const head = elementHeader(Tag.PixelData, "OB", UNDEFINED_LENGTH, ENCODING);
  return [head, delimiter(Tag.Item, table.length, true), table];
}

/** @throws if a frame is damaged, which ends the file early: the copy is made again */
async function* filePieces(
  start: readonly Uint8Array[],
  { sopInstanceUID }: ManifestInstance,
  { frames, derivative }: CopiedInstance,
): AsyncGenerator<Uint8Array> {
  yield* start;
  for (const [frameIndex, { length }] of frames.entries()) {
    const frame = await derivative.readFrame(sopInstanceUID, frameIndex);
    if (!frame) throw new RangeError("a frame of the copy is lost");
    yield delimiter(Tag.Item, padded(length), true);
    yield* piecesOf(frame.bytes);
    if (length % 2 === 1) yield new Uint8Array(1);
  }
  yield END;
}
