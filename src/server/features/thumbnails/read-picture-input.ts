import { locateFrame } from "../../../shared/dicom/reading/cut-frame.ts";
import { type FrameTable, frameCountOf } from "../../../shared/dicom/reading/frame-table.ts";
import { isVideo } from "../../../shared/dicom/transfer-syntax.ts";
import type { ManifestInstance, SeriesManifest } from "../../archive/manifest.ts";
import { joinPieces, type Pieces, piecesOf } from "../../archive/pieces.ts";
import type { Scratch } from "../../processes/scratch.ts";
import { type LentBytes, ownBytes } from "../../runtime/lent-bytes.ts";
import { isInMemory } from "../dicomweb/answers/multipart-related.ts";
import type { SeriesReader } from "../dicomweb/catalogue/series-reader.ts";
import { borrowFrame, readFrame } from "../dicomweb/frames/frame-bytes.ts";
import { firstPixelByte, isDeflated, openHeader } from "../dicomweb/frames/open-header.ts";
import type { PictureRequest } from "./worker/picture-messages.ts";

/** The largest frame, which bounds the decoder's memory and the transfer from the archive store. */
export const MAX_FRAME_BYTES = 64 * 1024 * 1024;
export const MAX_HEADER_BYTES = 16 * 1024 * 1024;
/** A frame beyond this offset in a deflated file has no picture, since everything before it would have to be inflated. */
const MAX_INFLATED_BYTES = 256 * 1024 * 1024;
/** A header and frame up to this size are sent to the decoder; larger ones are passed in a file. */
const MAX_SENT_BYTES = 4 * 1024 * 1024;

/** The input for one picture. Disposal removes its file. */
export interface PictureInput extends AsyncDisposable {
  request: PictureRequest;
}

/** The middle image; of a series of videos alone, which are not drawn, the middle video. Undefined if none has pixels. */
export function middleInstance({ instances }: SeriesManifest): ManifestInstance | undefined {
  const images = instances.filter(({ frames }) => frameCountOf(frames) > 0);
  const stills = images.filter(({ transferSyntaxUID }) => !isVideo(transferSyntaxUID));
  const shown = stills.length > 0 ? stills : images;
  return shown[Math.floor(shown.length / 2)];
}

/** Reads a frame, the middle one if none is given, and the header before the pixel data. At most a few megabytes are held. */
export async function readPictureInput(
  { series, scratch }: { series: SeriesReader; scratch: Scratch },
  instance: ManifestInstance,
  wantedIndex?: number,
): Promise<PictureInput | "too_large"> {
  const { frames, transferSyntaxUID } = instance;
  if (frames.kind === "none") throw new RangeError("an instance without pixels");
  const frameIndex = wantedIndex ?? Math.floor(frames.frameCount / 2);
  const headerBytes = firstPixelByte(frames);
  const { frameBytes, endsAt } = extentOf(frames, frameIndex);
  const isFar = endsAt > MAX_INFLATED_BYTES && (instance.method !== 0 || isDeflated(frames));
  if (headerBytes > MAX_HEADER_BYTES || frameBytes > MAX_FRAME_BYTES || isFar) return "too_large";
  if (headerBytes + frameBytes > MAX_SENT_BYTES) {
    const parts = [
      async () => await openHeader(series, instance),
      async () => piecesOf(await readFrame(series, instance, frameIndex)),
    ];
    const file = await scratch.spool(joinedPieces(parts), MAX_HEADER_BYTES + MAX_FRAME_BYTES);
    if (!file) return "too_large";
    const source = { kind: "spooled", path: file.path, headerBytes } as const;
    return {
      request: { transferSyntaxUID, frameIndex, source },
      [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
    };
  }
  // Both wait for the store.
  const [headerRead, frameLent] = await Promise.allSettled([
    readHeader(series, instance, headerBytes),
    lendFrame(series, instance, { frameIndex, frameBytes }),
  ]);
  const header = headerRead.status === "fulfilled" ? headerRead.value : undefined;
  const frame = frameLent.status === "fulfilled" ? frameLent.value : undefined;
  if (!header || !frame) {
    frame?.release();
    for (const read of [headerRead, frameLent]) if (read.status === "rejected") throw read.reason;
    return "too_large";
  }
  const source = { kind: "parts", header, frame: frame.bytes } as const;
  // To send it to the decoder copies it, so that it may be used again even if the picture was given up.
  const release = async () => frame.release();
  return { request: { transferSyntaxUID, frameIndex, source }, [Symbol.asyncDispose]: release };
}

async function readHeader(
  series: SeriesReader,
  instance: ManifestInstance,
  headerBytes: number,
): Promise<Uint8Array | undefined> {
  if (!isDeflated(instance.frames)) return await series.read(instance, { offset: 0, length: headerBytes });
  return await joinPieces(await openHeader(series, instance), headerBytes);
}

/** A frame in memory, lent where it may be: answers of many pictures would leave a buffer behind for each. */
async function lendFrame(
  series: SeriesReader,
  instance: ManifestInstance,
  { frameIndex, frameBytes }: { frameIndex: number; frameBytes: number },
): Promise<LentBytes | undefined> {
  const frame = await borrowFrame(series, instance, frameIndex);
  if (isInMemory(frame)) return frame;
  const bytes = await joinPieces(piecesOf(frame), frameBytes);
  return bytes && ownBytes(bytes);
}

/** Opens each part once the ones before it are read, so that a failure leaves none open. */
async function* joinedPieces(parts: readonly (() => Promise<Pieces>)[]): AsyncGenerator<Uint8Array> {
  for (const open of parts) yield* await open();
}

/** How many bytes a frame has, and where the last of them is. */
export function extentOf(frames: FrameTable, frameIndex: number): { frameBytes: number; endsAt: number } {
  const { ranges = [], shift } = locateFrame(frames, frameIndex) ?? {};
  const lengths = ranges.reduce((sum, [, length]) => sum + length, 0);
  const [offset, length] = ranges.at(-1) ?? [0, 0];
  return { frameBytes: shift ? Math.ceil(shift.bits / 8) : lengths, endsAt: offset + length };
}
