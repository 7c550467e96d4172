import { promisify } from "node:util";
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
  zstdDecompress,
} from "node:zlib";
import { inflatedMetadata } from "../../../archive/manifest-codec.ts";
import { insertBehind, type Pieces, piecesOf, slicePieces, through } from "../../../archive/pieces.ts";
import { AppError } from "../../../http/app-error.ts";
import { type ContentCoding, negotiateCoding } from "../../../http/content-coding.ts";
import { notFound } from "../../../http/http.errors.ts";
import { type HeldWhileSent, holding, streamOf } from "../../../http/stream-of.ts";
import { archiveHeaders } from "../answers/archive-headers.ts";
import type { Bytes, StoredMetadata } from "../dicomweb.catalogue.ts";

const brotli = promisify(brotliCompress);
const gz = promisify(gzip);
const zstd = promisify(zstdCompress);
const unzstd = promisify(zstdDecompress);

const DICOM_JSON = "application/dicom+json";
/** The searched bytes can only be a key, since quotes in a value are escaped. */
const URI_KEY = '"BulkDataURI":"';

/** A smaller answer fits into one packet and is not compressed. */
const MIN_COMPRESSED_BYTES = 1_400;
/** Metadata up to this size are compressed at once; larger metadata are never in memory as a whole. */
export const MAX_AT_ONCE_BYTES = 8 * 1024 * 1024;

/** The step of compressing at once; each step is one turn of the event loop. */
const AT_ONCE = { chunkSize: 512 * 1024 };
/** Low compression levels: 5 MB of metadata take 20 ms, and the result is only a few kilobytes larger than at the highest. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const GZIP = { level: 3 };
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

/** The codings of answers, from the one that is unpacked fastest. */
const CODINGS = ["zstd", "br", "gzip"] as const;
type Packing = (typeof CODINGS)[number];

/**
 * Answers a series' metadata: the stored bytes to a client that accepts zstd, otherwise compressed again as the client accepts.
 * @param seriesUrl makes each `BulkDataURI` absolute, for programs that do not resolve it
 */
export async function seriesMetadataResponse(
  stored: StoredMetadata,
  acceptEncoding: string | undefined,
  seriesUrl?: string,
): Promise<Response> {
  const prefix = seriesUrl === undefined ? "" : `${seriesUrl}/`;
  const coding = negotiateCoding(acceptEncoding, CODINGS);
  if (coding === "zstd" && prefix === "") return dicomJson(await stored.open(), coding);
  const { inflatedBytes } = stored;
  if (inflatedBytes > MAX_AT_ONCE_BYTES) {
    const inflated = inflatedMetadata(piecesOf(await stored.open()));
    return packedPieces(prefix === "" ? inflated : withPrefix(inflated, prefix), coding);
  }
  const json = async () => prefixedAtOnce(await inflatedAtOnce(stored), prefix);
  if (coding === "identity" || inflatedBytes < MIN_COMPRESSED_BYTES)
    return dicomJson(await json(), "identity");
  const pack = async () => await packedAtOnce(await json(), coding);
  return dicomJson(await stored.packed(`${coding} ${prefix}`, pack), coding);
}

/**
 * Answers the metadata of one instance, in an array.
 * @param seriesUrl as in {@link seriesMetadataResponse}
 * @throws {AppError} 404 if the series has no such instance
 */
export async function instanceMetadataResponse(
  stored: StoredMetadata,
  sopInstanceUID: string,
  acceptEncoding: string | undefined,
  seriesUrl = "../..",
): Promise<Response> {
  const range = await stored.rangeOf(sopInstanceUID);
  if (!range) throw new AppError(notFound);
  const { offset, length } = range;
  const inflated = inflatedMetadata(piecesOf(await stored.open()));
  const json = asArray(slicePieces(inflated, offset, length));
  return await prefixedResponse(json, length, { prefix: `${seriesUrl}/`, acceptEncoding });
}

/** Answers `length` bytes of JSON, or a few more, with `prefix` before each `BulkDataURI`. */
async function prefixedResponse(
  json: Pieces,
  length: number,
  { prefix, acceptEncoding }: { prefix: string; acceptEncoding: string | undefined },
): Promise<Response> {
  const coding = negotiateCoding(acceptEncoding, CODINGS);
  const pieces = withPrefix(json, prefix);
  if (length > MAX_AT_ONCE_BYTES) return packedPieces(pieces, coding);
  return packed(await new Response(streamOf(pieces)).bytes(), coding);
}

/**
 * Answers an array of data sets, each given as JSON.
 * @param held of a large answer, which is sent item by item; disposed at its end
 */
export async function dicomJsonResponse(
  items: readonly Uint8Array[],
  request: Request,
  held?: HeldWhileSent,
): Promise<Response> {
  const coding = negotiateCoding(request.headers.get("accept-encoding"), CODINGS);
  const pieces = asArray(separated(items));
  if (!held) return await packed(await new Response(streamOf(pieces)).bytes(), coding);
  const response = packedPieces(pieces, coding);
  const { headers, body } = response;
  // Nobody reads the answer to HEAD, or that of a client that left meanwhile.
  request.signal.addEventListener("abort", () => held[Symbol.dispose](), { once: true });
  if (request.method !== "HEAD" && !request.signal.aborted && body)
    return new Response(holding(held, body), { headers });
  held[Symbol.dispose]();
  return new Response(null, { headers });
}

async function* separated(items: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const [index, item] of items.entries()) {
    if (index > 0) yield COMMA;
    yield item;
  }
}

/** A series of a study with its metadata. */
export interface MetadataOfSeries {
  seriesInstanceUID: string;
  stored: StoredMetadata;
}

/**
 * Streams a study's metadata, uncompressed because no viewer requests them.
 * @param studyUrl makes each `BulkDataURI` absolute, as in {@link seriesMetadataResponse}
 */
export function studyMetadataResponse(
  allSeries: AsyncIterable<MetadataOfSeries>,
  studyUrl?: string,
): Response {
  const below = studyUrl === undefined ? "" : `${studyUrl}/`;
  return dicomJson(streamOf(asArray(joinedSeries(allSeries, below))), "identity");
}

async function* joinedSeries(
  allSeries: AsyncIterable<MetadataOfSeries>,
  below: string,
): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const { seriesInstanceUID, stored } of allSeries) {
    // The brackets of the array are left out; an empty array has only these.
    const length = stored.inflatedBytes - 2;
    if (length <= 0) continue;
    if (!isFirst) yield COMMA;
    isFirst = false;
    const inflated = inflatedMetadata(piecesOf(await stored.open()));
    yield* withPrefix(slicePieces(inflated, 1, length), `${below}series/${seriesInstanceUID}/`);
  }
}

const OPEN = Uint8Array.of(0x5b);
const COMMA = Uint8Array.of(0x2c);
const CLOSE = Uint8Array.of(0x5d);

async function* asArray(items: Pieces): AsyncGenerator<Uint8Array> {
  yield OPEN;
  yield* items;
  yield CLOSE;
}

/**
 * Makes each `BulkDataURI`, stored relative to the series' metadata, relative to another resource, or absolute: `prefix` leads to the
 * series.
 */
function withPrefix(json: Pieces, prefix: string): Pieces {
  return insertBehind(json, URI_KEY, prefix);
}

/** As {@link withPrefix}, in memory: at most four times as long, because a `BulkDataURI` and its element take a third of a prefix. */
export function prefixedAtOnce(json: Uint8Array, prefix: string): Uint8Array {
  if (prefix === "") return json;
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  const ends: number[] = [];
  for (let at = bytes.indexOf(URI_KEY); at >= 0; at = bytes.indexOf(URI_KEY, at + URI_KEY.length))
    ends.push(at + URI_KEY.length);
  if (ends.length === 0) return json;
  const inserted = Buffer.from(prefix);
  const prefixed = Buffer.allocUnsafeSlow(bytes.length + ends.length * inserted.length);
  let start = 0;
  let filled = 0;
  for (const end of ends) {
    filled += bytes.copy(prefixed, filled, start, end);
    filled += inserted.copy(prefixed, filled);
    start = end;
  }
  bytes.copy(prefixed, filled, start);
  return prefixed;
}

async function inflatedAtOnce({ inflatedBytes, open }: StoredMetadata): Promise<Uint8Array> {
  const body = await open();
  const stored = body instanceof Uint8Array ? body : await new Response(body).bytes();
  // One spare byte lets zstd finish in one step: a full buffer would need a second one.
  const chunkSize = Math.max(64, inflatedBytes + 1);
  return await unzstd(stored, { maxOutputLength: inflatedBytes, chunkSize });
}

async function packed(bytes: Uint8Array, coding: ContentCoding): Promise<Response> {
  if (coding === "identity" || bytes.length < MIN_COMPRESSED_BYTES) return dicomJson(bytes, "identity");
  return dicomJson(await packedAtOnce(bytes, coding), coding);
}

function packedAtOnce(bytes: Uint8Array, coding: Packing): Promise<Uint8Array> {
  switch (coding) {
    case "zstd":
      return zstd(bytes, ZSTD);
    case "br":
      return brotli(bytes, { ...BROTLI, ...AT_ONCE });
    case "gzip":
      return gz(bytes, { ...GZIP, ...AT_ONCE });
  }
}

function packedPieces(pieces: Pieces, coding: ContentCoding): Response {
  return dicomJson(streamOf(coding === "identity" ? pieces : through(pieces, packer(coding))), coding);
}

function packer(coding: Packing) {
  switch (coding) {
    case "zstd":
      return createZstdCompress(ZSTD);
    case "br":
      return createBrotliCompress(BROTLI);
    case "gzip":
      return createGzip(GZIP);
  }
}

function dicomJson(body: Bytes, coding: ContentCoding): Response {
  return new Response(body as BodyInit, {
    headers: {
      ...archiveHeaders(DICOM_JSON),
      Vary: "Accept-Encoding",
      ...(coding !== "identity" && { "Content-Encoding": coding }),
    },
  });
}
