import type { FrameTable } from "../../../shared/dicom/reading/frame-table.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import type { ManifestInstance } from "../../archive/manifest.ts";
import { type Pieces, piecesOf } from "../../archive/pieces.ts";
import { AppError } from "../../http/app-error.ts";
import { notFound } from "../../http/http.errors.ts";
import { streamOf } from "../../http/stream-of.ts";
import { ownBytes } from "../../runtime/lent-bytes.ts";
import { archiveHeaders } from "./archive-headers.ts";
import type { Bytes, DicomwebCatalogue, InstanceBytes } from "./dicomweb.catalogue.ts";
import { readRange } from "./frame-bytes.ts";
import { allFramesResponse } from "./frames.ts";
import { negotiateBulkData } from "./media-types.ts";
import { onePartRelated } from "./multipart-related.ts";

/**
 * Answers the value of one element, named by the tag path of the metadata's `BulkDataURI` (PS3.18 §10.4.1.1.5). Encapsulated pixel
 * data are answered as frames.
 * @throws {AppError} 404 if the instance has no such value, 406 if the client does not accept bytes
 */
export async function bulkDataResponse(
  catalogue: DicomwebCatalogue,
  instance: ManifestInstance,
  tagPath: string,
  accept: string | undefined,
): Promise<Response> {
  const { frames } = instance;
  if (tagPath === TagHex.PixelData && frames.kind === "encapsulated") {
    return allFramesResponse(catalogue, instance, accept);
  }
  const { multipart, type } = negotiateBulkData(accept);
  const body =
    tagPath === TagHex.PixelData && frames.kind === "native"
      ? await readPixelData(catalogue, instance, frames)
      : await readValue(catalogue, instance, tagPath);
  if (!multipart) return new Response(body as BodyInit, { headers: archiveHeaders(type) });
  const related = onePartRelated(type, type, body instanceof Uint8Array ? ownBytes(body) : body);
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

/** Reads a value as little-endian, whatever the byte order of the instance (PS3.18 §8.7.3.3). */
async function readValue(
  catalogue: DicomwebCatalogue,
  instance: ManifestInstance,
  tagPath: string,
): Promise<Bytes> {
  const location = await catalogue.locate(instance, tagPath);
  if (!location) throw new AppError(notFound);
  const { offset, length, deflated, swapWordBytes } = location;
  const value = deflated
    ? await catalogue.openInflated(instance, { offset, length })
    : await readRange(catalogue, instance, { offset, length });
  return swapWordBytes ? streamOf(swapWords(piecesOf(value), swapWordBytes)) : value;
}

/** Reverses the bytes of each 2-, 4- or 8-byte word, wherever the pieces are cut; an incomplete word at the end is unchanged. */
async function* swapWords(pieces: Pieces, width: number): AsyncGenerator<Uint8Array> {
  let held = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = Buffer.concat([held, piece]);
    const whole = bytes.subarray(0, bytes.length - (bytes.length % width));
    if (width === 2) whole.swap16();
    else if (width === 4) whole.swap32();
    else whole.swap64();
    held = bytes.subarray(whole.length);
    if (whole.length > 0) yield whole;
  }
  if (held.length > 0) yield held;
}
