import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { DicomJson } from "../../dicom/instance.ts";
import { type ContentCoding, negotiateCoding } from "../../http/content-coding.ts";
import { streamOf } from "../../http/stream-of.ts";
import { archiveHeaders } from "./archive-headers.ts";
import type { StoredMetadata } from "./dicomweb.catalogue.ts";

const brotli = promisify(brotliCompress);
const gz = promisify(gzip);

const DICOM_JSON = "application/dicom+json";

/** Below this an answer fits one packet. */
const MIN_COMPRESSED_BYTES = 1_400;

/** A series' metadata: the stored bytes as they are to who takes zstd, else packed again with what he takes. */
export async function seriesMetadataResponse(
  stored: StoredMetadata,
  acceptEncoding: string | undefined,
): Promise<Response> {
  const coding = negotiateCoding(acceptEncoding, ["zstd", "br", "gzip"]);
  if (coding === "zstd") return dicomJson(stored.bytes, coding);
  return packed(await unpack(stored), coding);
}

export function dicomJsonResponse(body: DicomJson[], acceptEncoding: string | undefined): Promise<Response> {
  const coding = negotiateCoding(acceptEncoding, ["br", "gzip"]);
  return packed(new TextEncoder().encode(JSON.stringify(body)), coding);
}

/**
 * Metadata as objects, with each `BulkDataURI` (stored relative to the series' metadata) relative to another
 * resource: `prefix` leads from there to the series.
 */
export async function readMetadata(stored: StoredMetadata, prefix: string): Promise<DicomJson[]> {
  const text = new TextDecoder().decode(await unpack(stored));
  return JSON.parse(text, (key, value) =>
    key === "BulkDataURI" && typeof value === "string" ? prefix + value : value,
  ) as DicomJson[];
}

/** A study's metadata, one series in memory at a time; not compressed, because no viewer asks for it. */
export function studyMetadataResponse(allSeries: AsyncGenerator<DicomJson[]>): Response {
  return new Response(streamOf(writeArray(allSeries)), { headers: archiveHeaders(DICOM_JSON) });
}

async function* writeArray(groups: AsyncGenerator<DicomJson[]>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let before = "[";
  for await (const group of groups) {
    if (group.length === 0) continue;
    yield encoder.encode(before + JSON.stringify(group).slice(1, -1));
    before = ",";
  }
  yield encoder.encode(before === "[" ? "[]" : "]");
}

function unpack(stored: StoredMetadata): Promise<Uint8Array> {
  return Bun.zstdDecompress(stored.bytes);
}

/** Low levels: on 5 MB of metadata they cost 20 ms and come within a few kilobytes of the highest. */
async function packed(bytes: Uint8Array, coding: "br" | "gzip" | "identity"): Promise<Response> {
  if (coding === "identity" || bytes.length < MIN_COMPRESSED_BYTES) return dicomJson(bytes, "identity");
  const body =
    coding === "br"
      ? await brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
      : await gz(bytes, { level: 3 });
  return dicomJson(body, coding);
}

function dicomJson(body: Uint8Array, coding: ContentCoding): Response {
  return new Response(body as Uint8Array<ArrayBuffer>, {
    headers: {
      ...archiveHeaders(DICOM_JSON),
      Vary: "Accept-Encoding",
      ...(coding !== "identity" && { "Content-Encoding": coding }),
    },
  });
}
