import type { FrameTable } from "../../../../shared/dicom/reading/frame-table.ts";
import { memorySource } from "../../../../shared/dicom/reading/memory-source.ts";
import { Unreadable } from "../../../../shared/dicom/reading/unreadable.ts";
import { Tag } from "../../../../shared/dicom/tags.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import { joinPieces, piecesOf } from "../../../archive/pieces.ts";
import { explicitHeader, type Replaced, type WrittenHeader } from "../../../dicom/explicit-header.ts";
import type { InstanceBytes } from "../dicomweb.catalogue.ts";
import { firstPixelByte, isDeflated, openHeader } from "../frames/open-header.ts";

/* What comes before the pixel data of a stored file, written anew for pixel data in another transfer syntax. */

/** A longer header would take the server too long to write anew; it belongs to thousands of frames. */
export const MAX_HEADER_BYTES = 1024 * 1024;
/** What may follow the pixel data, to be looked at. */
const MAX_TAIL_BYTES = 64 * 1024;

/** What a header says of the samples of a code stream, and of what was one: they lie by pixel (PS3.5 §8.2.4). */
export function byPixel(photometricInterpretation?: string): Replaced {
  const replaced = new Map<number, Uint8Array>([[Tag.PlanarConfiguration, new Uint8Array(2)]]);
  if (photometricInterpretation === undefined) return replaced;
  return replaced.set(Tag.PhotometricInterpretation, codeString(photometricInterpretation));
}

/** Of an even length (PS3.5 §6.2). */
function codeString(value: string): Uint8Array {
  return Buffer.from(value.length % 2 === 0 ? value : `${value} `, "latin1");
}

export type FileBytes = Pick<InstanceBytes, "open" | "openInflated" | "read">;

/** Returns the file up to its pixel data, inflated; undefined if that is too long. */
export async function readHeader(
  catalogue: FileBytes,
  instance: ManifestInstance,
): Promise<Uint8Array | undefined> {
  const { frames } = instance;
  const length = frames.kind === "none" ? 0 : firstPixelByte(frames);
  if (length > MAX_HEADER_BYTES) return undefined;
  return await joinPieces(await openHeader(catalogue, instance), length);
}

/** Returns undefined if the header is not one of a DICOM file. */
export function writeHeader(
  header: Uint8Array,
  { sopClassUID, sopInstanceUID }: Pick<ManifestInstance, "sopClassUID" | "sopInstanceUID">,
  { syntax, replaced }: { syntax: string; replaced?: Replaced },
): WrittenHeader | undefined {
  const written = { transferSyntaxUID: syntax, sopClassUID, sopInstanceUID };
  try {
    return explicitHeader(memorySource(header), written, replaced);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

/** Whether elements other than padding may follow the pixel data, such as signatures of their stored form. */
export async function hasElementsBehind(catalogue: FileBytes, instance: ManifestInstance): Promise<boolean> {
  const { frames, sizeBytes } = instance;
  const end = lastPixelByte(frames);
  if (isDeflated(frames)) return !isPadding(await readInflatedTail(catalogue, instance, end));
  const length = Math.min(sizeBytes - end, MAX_TAIL_BYTES);
  if (length <= 0) return false;
  const tail = await catalogue.read(instance, { offset: end, length });
  return !isPadding(Buffer.from(tail.buffer, tail.byteOffset, tail.length));
}

/** Where an inflated data set ends is known only there. */
async function readInflatedTail(
  catalogue: FileBytes,
  instance: ManifestInstance,
  offset: number,
): Promise<Buffer> {
  const tail: Uint8Array[] = [];
  let length = 0;
  const rest = { offset, length: Number.POSITIVE_INFINITY };
  for await (const piece of piecesOf(await catalogue.openInflated(instance, rest))) {
    tail.push(Uint8Array.from(piece));
    length += piece.length;
    if (length >= MAX_TAIL_BYTES) break;
  }
  return Buffer.concat(tail);
}

function lastPixelByte(frames: FrameTable): number {
  if (frames.kind === "none") return 0;
  if (frames.kind === "native") return frames.offset + frames.frameBytes * frames.frameCount;
  const [offset, length] = frames.frames.at(-1)?.at(-1) ?? [0, 0];
  return offset + length;
}

/** In both orders of bytes. */
const PADDING_TAGS = [Buffer.from([0xfc, 0xff, 0xfc, 0xff]), Buffer.from([0xff, 0xfc, 0xff, 0xfc])];
const SEQUENCE_END = Buffer.from([0xfe, 0xff, 0xdd, 0xe0, 0, 0, 0, 0]);

/** Zeros, the delimiter of encapsulated pixel data, and Data Set Trailing Padding (PS3.10 §7.2), in this order. */
function isPadding(tail: Buffer): boolean {
  let at = 0;
  if (tail[0] === 0) at = 1;
  if (tail.subarray(at, at + 8).equals(SEQUENCE_END)) at += 8;
  const isTag = PADDING_TAGS.some((tag) => tail.subarray(at, at + 4).equals(tag));
  return isTag || tail.subarray(at).every((byte) => byte === 0);
}
