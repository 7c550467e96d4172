import type { ManifestInstance } from "../../archive/manifest.ts";
import { inflateInstance } from "../../dicom/bulk-data.ts";
import { memorySource } from "../../dicom/byte-source.ts";
import { assembleFrame, type FrameLocation, locateFrame } from "../../dicom/cut-frame.ts";
import { AppError } from "../../http/app-error.ts";
import { notFound } from "../../http/http.errors.ts";
import { streamOf } from "../../http/stream-of.ts";
import type { ByteRange } from "../../storage/object-store.ts";
import type { DicomwebCatalogue } from "./dicomweb.catalogue.ts";

export type Bytes = Uint8Array | ReadableStream<Uint8Array> | Blob;
type Reader = Pick<DicomwebCatalogue, "read" | "open">;

/** Up to this a run of bytes is taken into memory with one read, more is streamed. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

/** Between fragments lie item headers of 8 bytes (PS3.5 §A.4); further apart, each is read for itself. */
const MAX_GAP_BYTES = 64;

/**
 * One frame's pixel data; an encapsulated one as its fragments joined, without item headers.
 * @throws {AppError} 404 where there is no such frame
 */
export async function readFrame(
  reader: Reader,
  instance: ManifestInstance,
  frameIndex: number,
): Promise<Bytes> {
  const location = locateFrame(instance.frames, frameIndex);
  if (!location) throw new AppError(notFound);
  if (instance.frames.kind === "native" && instance.frames.deflated) {
    return readInflated(reader, instance, location);
  }
  const { ranges, shift } = location;
  const [first = [0, 0], ...others] = ranges;
  const run = runOf(ranges);
  if (!run) return streamOf(eachRange(reader, instance, ranges));
  if (run.length > MAX_BUFFERED_BYTES && others.length === 0 && !shift) return reader.open(instance, run);
  const bytes = await reader.read(instance, run);
  return assembleFrame(
    others.length === 0
      ? [bytes]
      : ranges.map(([offset, length]) => bytes.subarray(offset - first[0], offset - first[0] + length)),
    location,
  );
}

/** A run of the instance's file, in memory where it is small. */
export function readRange(reader: Reader, instance: ManifestInstance, range: ByteRange): Promise<Bytes> {
  return range.length <= MAX_BUFFERED_BYTES ? reader.read(instance, range) : reader.open(instance, range);
}

/** The one range that holds all of them with little between, if there is one. */
function runOf(ranges: FrameLocation["ranges"]): ByteRange | undefined {
  const [first] = ranges;
  if (!first) return { offset: 0, length: 0 };
  let end = first[0] + first[1];
  for (const [offset, length] of ranges.slice(1)) {
    if (offset < end || offset - end > MAX_GAP_BYTES) return undefined;
    end = offset + length;
  }
  const run = { offset: first[0], length: end - first[0] };
  return ranges.length > 1 && run.length > MAX_BUFFERED_BYTES ? undefined : run;
}

/** A deflated data set has no frames to be cut before it is inflated whole (bounded by the reader). */
async function readInflated(
  reader: Reader,
  instance: ManifestInstance,
  location: FrameLocation,
): Promise<Uint8Array> {
  const file = await reader.read(instance, { offset: 0, length: instance.sizeBytes });
  const inflated = inflateInstance(memorySource(file));
  if (!inflated) throw new AppError(notFound, { detail: "a deflated data set can't be inflated" });
  return assembleFrame(
    location.ranges.map(([offset, length]) => inflated.read(offset, length).slice()),
    location,
  );
}

async function* eachRange(
  reader: Reader,
  instance: ManifestInstance,
  ranges: FrameLocation["ranges"],
): AsyncGenerator<Uint8Array> {
  for (const [offset, length] of ranges) {
    const body = await readRange(reader, instance, { offset, length });
    if (body instanceof Uint8Array) yield body;
    else yield* body instanceof Blob ? body.stream() : body;
  }
}
