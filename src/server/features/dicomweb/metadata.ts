import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip, zstdDecompress } from "node:zlib";
import { inflatedMetadata } from "../../archive/manifest-codec.ts";
import { insertBehind, type Pieces, piecesOf, slicePieces, through } from "../../archive/pieces.ts";
import { AppError } from "../../http/app-error.ts";
import { type ContentCoding, negotiateCoding } from "../../http/content-coding.ts";
import { notFound } from "../../http/http.errors.ts";
import { holding, streamOf } from "../../http/stream-of.ts";
import { archiveHeaders } from "./archive-headers.ts";
import type { Bytes, StoredMetadata } from "./dicomweb.catalogue.ts";

const brotli = promisify(brotliCompress);
const gz = promisify(gzip);
const unzstd = promisify(zstdDecompress);

const DICOM_JSON = "application/dicom+json";

/** A smaller answer fits into one packet and is not compressed. */
const MIN_COMPRESSED_BYTES = 1_400;
/** Metadata up to this size are compressed at once; larger metadata are never in memory as a whole. */
export const MAX_AT_ONCE_BYTES = 8 * 1024 * 1024;

/** The step of compressing at once; each step is one turn of the event loop. */
const AT_ONCE = { chunkSize: 512 * 1024 };
/** Low compression levels: 5 MB of metadata take 20 ms, and the result is only a few kilobytes larger than at the highest. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const GZIP = { level: 3 };

type Coding = "br" | "gzip" | "identity";

/**
 * Answers a series' metadata: the stored bytes to a client that accepts zstd, otherwise compressed again as the client accepts.
 * @param seriesUrl makes each `BulkDataURI` absolute, for programs that do not resolve it
 */
export async function seriesMetadataResponse(
  stored: StoredMetadata,
  acceptEncoding: string | undefined,
  seriesUrl?: string,
): Promise<Response> {
  if (seriesUrl !== undefined) {
    const inflated = inflatedMetadata(piecesOf(await stored.open()));
    return await prefixedResponse(inflated, stored.inflatedBytes, {
      prefix: `${seriesUrl}/`,
      acceptEncoding,
    });
  }
  const coding = negotiateCoding(acceptEncoding, ["zstd", "br", "gzip"]);
  if (coding === "zstd") return dicomJson(await stored.open(), coding);
  const { inflatedBytes } = stored;
  if (inflatedBytes > MAX_AT_ONCE_BYTES)
    return packedPieces(inflatedMetadata(piecesOf(await stored.open())), coding);
  if (coding === "identity" || inflatedBytes < MIN_COMPRESSED_BYTES)
    return dicomJson(await inflatedAtOnce(stored), "identity");
  const pack = async () => await packedAtOnce(await inflatedAtOnce(stored), coding);
  return dicomJson(await stored.packed(coding, pack), coding);
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
  const coding = negotiateCoding(acceptEncoding, ["br", "gzip"]);
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
  held?: Disposable,
): Promise<Response> {
  const coding = negotiateCoding(request.headers.get("accept-encoding") ?? undefined, ["br", "gzip"]);
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
 * series. The searched bytes can only be a key, since quotes in a value are escaped.
 */
function withPrefix(json: Pieces, prefix: string): Pieces {
  return insertBehind(json, '"BulkDataURI":"', prefix);
}

async function inflatedAtOnce({ inflatedBytes, open }: StoredMetadata): Promise<Uint8Array> {
  const body = await open();
  const stored = body instanceof Uint8Array ? body : await new Response(body).bytes();
  // One spare byte lets zstd finish in one step: a full buffer would need a second one.
  const chunkSize = Math.max(64, inflatedBytes + 1);
  return await unzstd(stored, { maxOutputLength: inflatedBytes, chunkSize });
}

async function packed(bytes: Uint8Array, coding: Coding): Promise<Response> {
  if (coding === "identity" || bytes.length < MIN_COMPRESSED_BYTES) return dicomJson(bytes, "identity");
  return dicomJson(await packedAtOnce(bytes, coding), coding);
}

function packedAtOnce(bytes: Uint8Array, coding: "br" | "gzip"): Promise<Uint8Array> {
  return coding === "br" ? brotli(bytes, { ...BROTLI, ...AT_ONCE }) : gz(bytes, { ...GZIP, ...AT_ONCE });
}

function packedPieces(pieces: Pieces, coding: Coding): Response {
  if (coding === "identity") return dicomJson(streamOf(pieces), coding);
  const transform = coding === "br" ? createBrotliCompress(BROTLI) : createGzip(GZIP);
  return dicomJson(streamOf(through(pieces, transform)), coding);
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
