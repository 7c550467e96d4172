import { PIXEL_DATA_TAGS } from "../../../../shared/dicom/reading/data-set.ts";
import { tagHex } from "../../../../shared/dicom/tags.ts";
import { frameTransferSyntaxUID, isDeflatedDataSet } from "../../../../shared/dicom/transfer-syntax.ts";
import { isInflatedInPieces } from "../../../archive/instance-reader.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import { AppError } from "../../../http/app-error.ts";
import { notFound } from "../../../http/http.errors.ts";
import { continueFrom } from "../../../runtime/continue-from.ts";
import { readAhead, SMALL_AHEAD } from "../../../runtime/read-ahead.ts";
import { archiveHeaders } from "../answers/archive-headers.ts";
import { assertAcceptsBulkDataParts, negotiateFrames } from "../answers/media-types.ts";
import { multipartRelated, type Part } from "../answers/multipart-related.ts";
import type { DicomwebCatalogue } from "../dicomweb.catalogue.ts";
import { type NamedValues, namedValues } from "./named-values.ts";
import type { SeriesOfValues } from "./series-of-values.ts";
import { VALUE_TYPE, valueParts } from "./value-parts.ts";

export interface AllBulkDataRequest {
  accept: string | undefined;
  request: Request;
  /** Whether only pixel data are asked for, of integers or of floating-point numbers. */
  isPixelData: boolean;
  /** The instance, if the request is about one. */
  only?: ManifestInstance | undefined;
  /** Called when it is certain that bytes will be sent, before the first one. */
  allow: () => Promise<void>;
}

const PIXEL_DATA: ReadonlySet<string> = new Set(Array.from(PIXEL_DATA_TAGS, tagHex));

/**
 * Answers every value that the metadata of the series name by a `BulkDataURI` (PS3.18 §10.4.1.1.5), or all pixel data (§10.4.1.1.6), as
 * parts that name these addresses. Values come in the order of series, instances and elements. Those of the next small
 * instances are read while one is sent, since each waits for the store; no more than that is read before the client took it.
 * @throws {AppError} 404 if there is no value at all; 406 if the client does not accept parts of bytes, or not the one syntax of these
 */
export async function allBulkDataResponse(
  catalogue: DicomwebCatalogue,
  series: AsyncIterable<SeriesOfValues>,
  { accept, request, isPixelData, only, allow }: AllBulkDataRequest,
): Promise<Response> {
  assertAcceptsBulkDataParts(accept);
  if (only?.frames.kind === "encapsulated")
    negotiateFrames(accept, frameTransferSyntaxUID(only.transferSyntaxUID));
  const parts = partsOf(catalogue, series, (tagPath) => !isPixelData || PIXEL_DATA.has(tagPath));
  // What is not there, or can't be read at all, fails before the retrieval is charged.
  const first = await parts.next();
  if (first.done) throw new AppError(notFound);
  const { contentType, body } = multipartRelated(VALUE_TYPE, continueFrom(first, parts));
  const headers = { ...archiveHeaders(contentType), Vary: "Accept" };
  try {
    await allow();
  } catch (error) {
    await parts.return(undefined);
    throw error;
  }
  // Nobody reads the answer to HEAD, or that of a client that left meanwhile.
  request.signal.addEventListener("abort", () => parts.return(undefined).catch(() => {}), { once: true });
  if (request.method !== "HEAD" && !request.signal.aborted) return new Response(body, { headers });
  await parts.return(undefined);
  return new Response(null, { headers });
}

async function* partsOf(
  catalogue: DicomwebCatalogue,
  allSeries: AsyncIterable<SeriesOfValues>,
  isWanted: (tagPath: string) => boolean,
): AsyncGenerator<Part> {
  const begin = async ({ named, seriesUrl }: ValuesAt) => {
    const parts = valueParts(catalogue, named, seriesUrl);
    return continueFrom(await parts.next(), parts);
  };
  const begun = readAhead(valuesIn(allSeries, isWanted), begin, {
    ...SMALL_AHEAD,
    bytesOf: ({ named: { instance } }) => aheadBytesOf(instance),
    discard: async (parts) => void (await parts.return(undefined)),
  });
  for await (const { result } of begun) yield* await result;
}

/** Values of an instance, and the address of its series. */
interface ValuesAt {
  named: NamedValues;
  seriesUrl: string;
}

async function* valuesIn(
  allSeries: AsyncIterable<SeriesOfValues>,
  isWanted: (tagPath: string) => boolean,
): AsyncGenerator<ValuesAt> {
  for await (const { seriesUrl, ...series } of allSeries)
    for await (const group of namedValues({ ...series, isWanted }))
      for (const named of group) yield { named, seriesUrl };
}

/** What has to be inflated in turn with other readers is not read ahead. */
function aheadBytesOf(instance: ManifestInstance): number {
  if (isInflatedInPieces(instance) || isDeflatedDataSet(instance.transferSyntaxUID))
    return Number.POSITIVE_INFINITY;
  return Math.max(instance.sizeBytes, instance.storedBytes);
}
