import { documentKindOf } from "../../../../shared/dicom/document-kind.ts";
import { TagHex } from "../../../../shared/dicom/tags.ts";
import { isPdf, MARK_WITHIN_BYTES } from "../../../../shared/is-pdf.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import { joinPieces, piecesOf } from "../../../archive/pieces.ts";
import type { BulkDataLocation } from "../../../dicom/bulk-data.ts";
import { AppError } from "../../../http/app-error.ts";
import { contentRange, type RangeRequest, requestedRange } from "../../../http/byte-range.ts";
import { notFound } from "../../../http/http.errors.ts";
import { isKnownVersion } from "../../../http/known-version.ts";
import { ownBytes } from "../../../runtime/lent-bytes.ts";
import type { ByteRange } from "../../../storage/object-store.ts";
import { archiveHeaders } from "../answers/archive-headers.ts";
import { negotiateBulkData, PDF } from "../answers/media-types.ts";
import { onePartRelated } from "../answers/multipart-related.ts";
import type { Bytes, DicomwebCatalogue, StoredMetadata } from "../dicomweb.catalogue.ts";
import { allFramesResponse } from "../frames/frames.ts";
import { openLittleEndian } from "../frames/little-endian-frames.ts";
import { countPixelBytes, type NativeFrames } from "./pixel-bytes.ts";
import { readFile } from "./read-file.ts";
import { isSwappable, readSwapped } from "./swap-words.ts";

/** What a request for bulk data says besides its path. */
export interface BulkDataRequest {
  /** The address of the instance, which begins the `BulkDataURI`s of its metadata. */
  instanceUrl: string;
  accept: string | undefined;
  /** Of its headers, those of ranges and versions. */
  request: RangeRequest;
  /** Finds the metadata of the series, which tell how big-endian pixel data are swapped. */
  findMetadata: () => Promise<StoredMetadata | undefined>;
}

/** Goes up when the same value is answered in other bytes: once little-endian and whole, it is not what a client kept before. */
const FORM = 3;

/** A value, read as little-endian, whatever the byte order of the instance (PS3.18 §8.7.3.3). */
export interface Value {
  sizeBytes: number;
  /** Reads a range of the value. */
  read(range: ByteRange): Promise<Bytes>;
}

/**
 * Answers the value of one element, named by the tag path of the metadata's `BulkDataURI` (PS3.18 §10.4.1.1.5), or the one range of
 * it that the client asks for, also as a part. Several ranges are answered by the whole value. Encapsulated pixel data are answered
 * as frames, which have no ranges; an encapsulated PDF is also `application/pdf`. Each part names its address, a value's as the
 * metadata do (PS3.18 §10.4.3.3.5).
 * @throws {AppError} 404 if the instance has no such value, 406 if the client does not accept bytes
 */
export async function bulkDataResponse(
  catalogue: DicomwebCatalogue,
  instance: ManifestInstance,
  tagPath: string,
  { accept, findMetadata, request, instanceUrl }: BulkDataRequest,
): Promise<Response> {
  const { frames } = instance;
  const bulkDataUrl = `${instanceUrl}/bulkdata/${tagPath}`;
  if (tagPath === TagHex.PixelData && frames.kind === "encapsulated") {
    return allFramesResponse(catalogue, instance, { accept, instanceUrl, bulkDataUrl });
  }
  const isOfPdf = tagPath === TagHex.EncapsulatedDocument && documentKindOf(instance.sopClassUID) === "pdf";
  let taken = negotiateBulkData(accept, isOfPdf ? [PDF] : []);
  const value =
    tagPath === TagHex.PixelData && frames.kind === "native"
      ? await findPixelData(catalogue, instance, frames, findMetadata)
      : (await findValues(catalogue, instance, [tagPath]))[0];
  if (!value) throw new AppError(notFound);
  // What only its class calls a PDF is bytes.
  if (taken.type === PDF && !isPdf(await readStart(value, MARK_WITHIN_BYTES)))
    taken = negotiateBulkData(accept);
  const { multipart, type } = taken;
  return valueResponse(instance, value, {
    type,
    name: type === PDF ? `${tagPath}.pdf` : tagPath,
    request,
    partAt: multipart ? bulkDataUrl : undefined,
  });
}

/** How a value is answered. */
export interface ValueAnswer {
  type: string;
  /** Tells it from other answers of the instance. */
  name: string;
  /** With the client's headers of ranges and versions. */
  request: RangeRequest;
  /** The address that the value has as a part; undefined to answer it alone. */
  partAt?: string | undefined;
}

/** Answers a value of an instance, or the one range of it that the client asks for; 304 if it has it. */
export async function valueResponse(
  { volumeId, dataOffset }: ManifestInstance,
  value: Value,
  { type, name, request, partAt }: ValueAnswer,
): Promise<Response> {
  const version = `"${volumeId}.${dataOffset}.${name}.${FORM}"`;
  // Parts have another boundary each time.
  const etag = partAt === undefined ? version : `W/${version}`;
  const headers = { ...archiveHeaders(type), "Accept-Ranges": "bytes", ETag: etag, Vary: "Accept" };
  if (isKnownVersion(request.headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers });
  const range = requestedRange(request, etag, value.sizeBytes);
  if (range === "unsatisfiable")
    return new Response(null, {
      status: 416,
      headers: { ...headers, "Content-Range": contentRange(range, value.sizeBytes) },
    });
  const { offset, length } = range ?? { offset: 0, length: value.sizeBytes };
  const ofBody = range && contentRange(range, value.sizeBytes);
  const ofRange = { ...headers, ...(ofBody && { "Content-Range": ofBody }) };
  const status = range ? 206 : 200;
  const body = await value.read({ offset, length });
  if (partAt === undefined)
    return new Response(body as BodyInit, {
      status,
      headers: { ...ofRange, "Content-Length": String(length) },
    });
  const part = body instanceof Uint8Array ? ownBytes(body) : body;
  const head = { contentType: type, location: partAt, contentRange: ofBody };
  const related = onePartRelated(type, head, part);
  return new Response(related.body, { status, headers: { ...ofRange, "Content-Type": related.contentType } });
}

/** The first bytes of a value. */
export async function readStart(value: Value, most: number): Promise<Uint8Array> {
  const length = Math.min(value.sizeBytes, most);
  const read = await value.read({ offset: 0, length });
  return (await joinPieces(piecesOf(read), length)) ?? new Uint8Array();
}

async function findPixelData(
  catalogue: DicomwebCatalogue,
  instance: ManifestInstance,
  frames: NativeFrames,
  findMetadata: BulkDataRequest["findMetadata"],
): Promise<Value> {
  const { offset } = frames;
  const counted = await countPixelBytes(catalogue, instance, frames);
  const [found] = counted.isAll ? [] : await catalogue.locate(instance, [TagHex.PixelData]);
  const swapped = await openLittleEndian(catalogue, instance, findMetadata);
  return valueAt({ offset, length: found?.length ?? counted.length }, (range) =>
    swapped ? swapped.read(range) : readFile(catalogue, instance, frames, range),
  );
}

/** Finds values with one search; undefined for a path without one. */
export async function findValues(
  catalogue: DicomwebCatalogue,
  instance: ManifestInstance,
  tagPaths: readonly string[],
): Promise<(Value | undefined)[]> {
  const locations = await catalogue.locate(instance, tagPaths);
  return locations.map((location) => location && foundValue(catalogue, instance, location));
}

function foundValue(
  catalogue: DicomwebCatalogue,
  instance: ManifestInstance,
  found: BulkDataLocation,
): Value {
  const { offset, length, swapWordBytes } = found;
  const read = (range: ByteRange) => readFile(catalogue, instance, found, range);
  return valueAt({ offset, length }, (range) =>
    isSwappable(swapWordBytes)
      ? readSwapped(read, { offset, length, wordBytes: swapWordBytes }, range)
      : read(range),
  );
}

function valueAt(place: ByteRange, read: (range: ByteRange) => Promise<Bytes>): Value {
  return {
    sizeBytes: place.length,
    read: ({ offset, length }) => read({ offset: place.offset + offset, length }),
  };
}
