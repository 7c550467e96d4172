import type { ManifestInstance } from "../../archive/manifest.ts";
import { type BulkDataLocation, inflateInstance, locateBulkData } from "../../dicom/bulk-data.ts";
import { memorySource } from "../../dicom/byte-source.ts";
import type { FrameTable } from "../../dicom/frame-table.ts";
import { AppError } from "../../http/app-error.ts";
import { notFound } from "../../http/http.errors.ts";
import { archiveHeaders } from "./archive-headers.ts";
import type { Bytes, DicomwebCatalogue, InstanceBytes } from "./dicomweb.catalogue.ts";
import { readRange } from "./frame-bytes.ts";
import { allFramesResponse } from "./frames.ts";
import { negotiateBulkData } from "./media-types.ts";
import { onePartRelated } from "./multipart-related.ts";

/** Larger instances are not taken into memory to look for an element in them; only their pixel data are served. */
const MAX_SEARCHED_BYTES = 256 * 1024 * 1024;

const PIXEL_DATA = "7FE00010";

/**
 * The value of one element, by the tag path of the metadata's `BulkDataURI` (PS3.18 §10.4.1.1.5). Encapsulated pixel
 * data come as frames.
 * @throws {AppError} 404 where the instance has no such value, 406 where the client does not take bytes
 */
export async function bulkDataResponse(
  catalogue: DicomwebCatalogue,
  instance: ManifestInstance,
  tagPath: string,
  accept: string | undefined,
): Promise<Response> {
  const { frames } = instance;
  if (tagPath === PIXEL_DATA && frames.kind === "encapsulated") {
    return allFramesResponse(catalogue, instance, accept);
  }
  const { multipart, type } = negotiateBulkData(accept);
  const body =
    tagPath === PIXEL_DATA && frames.kind === "native"
      ? await readPixelData(catalogue, instance, frames)
      : await readValue(catalogue, instance, tagPath);
  if (!multipart) return new Response(body as BodyInit, { headers: archiveHeaders(type) });
  const related = onePartRelated(type, { contentType: type, body });
  return new Response(related.body, { headers: archiveHeaders(related.contentType) });
}

async function readPixelData(
  catalogue: InstanceBytes,
  instance: ManifestInstance,
  { offset, frameBytes, frameCount, frameBits, deflated }: Extract<FrameTable, { kind: "native" }>,
): Promise<Bytes> {
  const length = frameBits ? Math.ceil((frameBits * frameCount) / 8) : frameBytes * frameCount;
  if (deflated) return await catalogue.openInflated(instance, { offset, length });
  return await readRange(catalogue, instance, { offset, length });
}

async function readValue(
  catalogue: DicomwebCatalogue,
  instance: ManifestInstance,
  tagPath: string,
): Promise<Bytes> {
  if (instance.sizeBytes > MAX_SEARCHED_BYTES) throw new AppError(notFound);
  const body = await catalogue.open(instance);
  const file = memorySource(body instanceof Uint8Array ? body : await new Response(body).bytes());
  const location = locateBulkData(file, tagPath);
  const source = location?.deflated ? inflateInstance(file) : file;
  if (!location || !source) throw new AppError(notFound);
  return littleEndian(source.read(location.offset, location.length), location);
}

/** Bulk data are little-endian whatever the instance is (PS3.18 §8.7.3.3). */
function littleEndian(value: Uint8Array, { swapWordBytes }: BulkDataLocation): Uint8Array {
  const copy = Buffer.from(value);
  const whole = copy.subarray(0, copy.length - (copy.length % (swapWordBytes ?? 1)));
  if (swapWordBytes === 2) whole.swap16();
  else if (swapWordBytes === 4) whole.swap32();
  else if (swapWordBytes === 8) whole.swap64();
  return copy;
}
