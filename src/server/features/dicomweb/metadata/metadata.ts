import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import { openMetadataJson } from "../../../archive/metadata-json.ts";
import { insertBehind, type Pieces, slicePieces } from "../../../archive/pieces.ts";
import { AppError } from "../../../http/app-error.ts";
import { type ContentCoding, negotiateCoding } from "../../../http/content-coding.ts";
import { notFound } from "../../../http/http.errors.ts";
import { type HeldWhileSent, holding, streamOf } from "../../../http/stream-of.ts";
import { archiveHeaders } from "../answers/archive-headers.ts";
import { DATA_SET_VARY, type DataSetForm, DICOM_JSON } from "../answers/media-types.ts";
import { CODINGS, MIN_COMPRESSED_BYTES, packedAtOnce, packedPieces } from "../answers/packing.ts";
import type { TakenDataSets } from "../answers/taken-data-sets.ts";
import type { Bytes, StoredMetadata } from "../dicomweb.catalogue.ts";
import { nativeModelsResponse } from "../native-model/native-models.ts";

const unzstd = promisify(zstdDecompress);

/** The searched bytes can only be a key, since quotes in a value are escaped. */
export const URI_KEY = '"BulkDataURI":"';

/** Metadata up to this size are compressed at once; larger metadata are never in memory as a whole. */
export const MAX_AT_ONCE_BYTES = 8 * 1024 * 1024;

/**
 * Answers a series' metadata: the stored bytes to a client that accepts zstd, otherwise compressed again as the client accepts.
 * @param seriesUrl makes each `BulkDataURI` absolute, for programs that do not resolve it
 */
export async function seriesMetadataResponse(
  stored: StoredMetadata,
  taken: TakenDataSets,
  seriesUrl?: string,
): Promise<Response> {
  const prefix = seriesUrl === undefined ? "" : `${seriesUrl}/`;
  const coding = negotiateCoding(taken.acceptEncoding, CODINGS);
  const { inflatedBytes } = stored;
  if (taken.form !== "json" || inflatedBytes > MAX_AT_ONCE_BYTES) {
    const inflated = await openMetadataJson(stored);
    return streamed(prefix === "" ? inflated : withPrefix(inflated, prefix), taken.form, coding);
  }
  if (coding === "zstd" && prefix === "") return dicomJson(await stored.open(), coding);
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
  taken: TakenDataSets,
  seriesUrl = "../..",
): Promise<Response> {
  const range = await stored.rangeOf(sopInstanceUID);
  if (!range) throw new AppError(notFound);
  const { offset, length } = range;
  const inflated = await openMetadataJson(stored);
  const json = withPrefix(asArray(slicePieces(inflated, offset, length)), `${seriesUrl}/`);
  const coding = negotiateCoding(taken.acceptEncoding, CODINGS);
  if (taken.form !== "json" || length > MAX_AT_ONCE_BYTES) return streamed(json, taken.form, coding);
  return packed(await new Response(streamOf(json)).bytes(), coding);
}

/**
 * Answers data sets, each given as JSON: in an array, or as `form` says.
 * @param held of a large answer, which is sent item by item; disposed at its end
 */
export async function dataSetsResponse(
  items: readonly Uint8Array[],
  { request, form }: { request: Request; form: DataSetForm },
  held?: HeldWhileSent,
): Promise<Response> {
  const coding = negotiateCoding(request.headers.get("accept-encoding"), CODINGS);
  const pieces = asArray(separated(items));
  if (!held && form === "json") return await packed(await new Response(streamOf(pieces)).bytes(), coding);
  const response = streamed(pieces, form, coding);
  if (!held) return response;
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
 * Streams a study's metadata.
 * @param studyUrl makes each `BulkDataURI` absolute, as in {@link seriesMetadataResponse}
 */
export function studyMetadataResponse(
  allSeries: AsyncIterable<MetadataOfSeries>,
  { form, acceptEncoding }: TakenDataSets,
  studyUrl?: string,
): Response {
  const below = studyUrl === undefined ? "" : `${studyUrl}/`;
  const coding = negotiateCoding(acceptEncoding, CODINGS);
  return streamed(asArray(joinedSeries(allSeries, below)), form, coding);
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
    const inflated = await openMetadataJson(stored);
    yield* withPrefix(slicePieces(inflated, 1, length), `${below}series/${seriesInstanceUID}/`);
  }
}

const OPEN = Uint8Array.of(0x5b);
const COMMA = Uint8Array.of(0x2c);
const CLOSE = Uint8Array.of(0x5d);

/** Begins once the first of the items is read. */
async function* asArray(items: Pieces): AsyncGenerator<Uint8Array> {
  let isOpen = false;
  for await (const piece of items) {
    if (!isOpen) yield OPEN;
    isOpen = true;
    yield piece;
  }
  if (!isOpen) yield OPEN;
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

/** Answers an array of data sets while it is read. */
function streamed(json: Pieces, form: DataSetForm, coding: ContentCoding): Response {
  return form === "json"
    ? dicomJson(streamOf(packedPieces(json, coding)), coding)
    : nativeModelsResponse(json, form, coding);
}

function dicomJson(body: Bytes, coding: ContentCoding): Response {
  return new Response(body as BodyInit, {
    headers: {
      ...archiveHeaders(DICOM_JSON),
      Vary: DATA_SET_VARY,
      ...(coding !== "identity" && { "Content-Encoding": coding }),
    },
  });
}
