import {
  assembleFrame,
  type FrameLocation,
  locateFrame,
  shiftPieces,
} from "../../../../shared/dicom/reading/cut-frame.ts";
import { InstanceDamaged } from "../../../archive/instance-reader.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import { giveUp, joinPieces, type Pieces, piecesOf } from "../../../archive/pieces.ts";
import { AppError } from "../../../http/app-error.ts";
import { notFound } from "../../../http/http.errors.ts";
import { streamOf } from "../../../http/stream-of.ts";
import { ownBytes } from "../../../runtime/lent-bytes.ts";
import type { ByteRange } from "../../../storage/object-store.ts";
import type { OnePart } from "../answers/multipart-related.ts";
import type { Bytes, InstanceBytes } from "../dicomweb.catalogue.ts";

/** A frame up to this size is read into memory at once; a larger one is streamed. */
const MAX_BUFFERED_BYTES = 2 * 1024 * 1024;

/**
 * Reads one frame's pixel data; of an encapsulated frame the joined fragments, without item headers.
 * @throws {AppError} 404 if there is no such frame
 * @throws {InstanceDamaged} if its bytes do not match the manifest; for a streamed frame, during the stream
 */
export async function readFrame(
  reader: InstanceBytes,
  instance: ManifestInstance,
  frameIndex: number,
): Promise<Bytes> {
  return await readPlace(reader, instance, placeOf(instance, frameIndex));
}

/** As {@link readFrame}, but may lend a frame that is small and in one piece. */
export async function borrowFrame(
  reader: InstanceBytes,
  instance: ManifestInstance,
  frameIndex: number,
): Promise<OnePart> {
  const place = placeOf(instance, frameIndex);
  if (isLendable(place)) return await reader.borrow(instance, place.run);
  const frame = await readPlace(reader, instance, place);
  return frame instanceof Uint8Array ? ownBytes(frame) : frame;
}

function isLendable({ run, isDeflated, isOnePiece }: FramePlace): boolean {
  return isOnePiece && !isDeflated && run.length <= MAX_BUFFERED_BYTES;
}

/** Where a frame is, and what has to be read for it. */
interface FramePlace {
  location: FrameLocation;
  /** From the first to the last byte of the frame. */
  run: ByteRange;
  /** Whether its bytes are read as they are. */
  isOnePiece: boolean;
  isDeflated: boolean;
}

function placeOf({ frames }: ManifestInstance, frameIndex: number): FramePlace {
  const location = locateFrame(frames, frameIndex);
  if (!location) throw new AppError(notFound);
  return {
    location,
    run: runOf(location.ranges),
    isOnePiece: location.ranges.length === 1 && !location.shift,
    isDeflated: frames.kind === "native" && frames.deflated === true,
  };
}

async function readPlace(
  reader: InstanceBytes,
  instance: ManifestInstance,
  { location, run, isOnePiece, isDeflated }: FramePlace,
): Promise<Bytes> {
  if (run.length <= MAX_BUFFERED_BYTES) {
    const bytes = isDeflated
      ? await inMemory(await reader.openInflated(instance, run), run.length)
      : await reader.read(instance, run);
    return assembleFrame(bytes, run.offset, location);
  }
  const body = isDeflated ? await reader.openInflated(instance, run) : await reader.open(instance, run);
  if (isOnePiece) return body;
  const cut = cutRanges(piecesOf(body), run.offset, location.ranges);
  return streamOf(location.shift ? shiftPieces(cut, location.shift) : cut, () => giveUp(body));
}

/** Reads a range of the instance's file, into memory if it is small. */
export function readRange(
  reader: InstanceBytes,
  instance: ManifestInstance,
  range: ByteRange,
): Promise<Bytes> {
  return range.length <= MAX_BUFFERED_BYTES ? reader.read(instance, range) : reader.open(instance, range);
}

/** The range from the first to the last byte of all ranges, between which are item headers of 8 bytes (PS3.5 §A.4). */
function runOf(ranges: FrameLocation["ranges"]): ByteRange {
  const [first = [0, 0]] = ranges;
  let end = first[0];
  for (const [offset, length] of ranges) {
    if (offset < end) throw new InstanceDamaged("fragments are not in order");
    end = offset + length;
  }
  return { offset: first[0], length: end - first[0] };
}

/** Yields the parts of the pieces that are in the ranges. The pieces begin at offset `base` of the file. */
async function* cutRanges(
  pieces: Pieces,
  base: number,
  ranges: FrameLocation["ranges"],
): AsyncGenerator<Uint8Array> {
  let start = base;
  let next = 0;
  for await (const piece of pieces) {
    const end = start + piece.length;
    const kept = new Uint8Array(piece.length);
    let filled = 0;
    for (; next < ranges.length; next++) {
      const [offset, length] = ranges[next] ?? [end, 0];
      const from = Math.max(offset, start);
      const to = Math.min(offset + length, end);
      if (from < to) {
        kept.set(piece.subarray(from - start, to - start), filled);
        filled += to - from;
      }
      if (offset + length > end) break;
    }
    start = end;
    if (filled > 0) yield kept.subarray(0, filled);
  }
  if (next < ranges.length) throw new InstanceDamaged("a frame ends early");
}

async function inMemory(body: Bytes, length: number): Promise<Uint8Array> {
  const bytes = await joinPieces(piecesOf(body), length);
  if (!bytes) throw new InstanceDamaged("a frame ends early");
  return bytes;
}
