import type { DicomJson } from "../../../../shared/dicom/reading/instance.ts";
import { archiveHeaders } from "../answers/archive-headers.ts";
import { DICOM_JSON } from "../answers/media-types.ts";
import type { DicomwebCatalogue, Named } from "../dicomweb.catalogue.ts";
import type { SeriesUIDs } from "../dicomweb.repo.ts";
import { dataSetsResponse } from "../metadata/metadata.ts";
import type { AskedSearch } from "./asked-search.ts";
import { matchesAll } from "./match-json.ts";
import type { QidoQuery } from "./parse-qido.ts";
import { type Level, levelOf } from "./qido-attributes.ts";
import { fieldPicker } from "./qido-json.ts";
import type { FoundInstances, SearchedSeries } from "./search-instances.ts";

/** Tells that the page is not all (PS3.18 §10.6.3.2). */
const MORE = '299 dicomweb "There are additional results that can be requested"';

/** Names of ignored filters that an answer has, and their length. */
const MAX_IGNORED = 8;
const MAX_NAME_LENGTH = 64;

interface SearchAnswer extends AskedSearch {
  answersNoContent: boolean;
  request: Request;
}

/** What a search found: all that is known of each study or series, or instances as they are answered. */
export type Found = readonly DicomJson[] | FoundInstances;

/** Whether an answer is sent item by item, as its client takes it. */
export function isLarge(found: Found): boolean {
  return "items" in found && found.held !== undefined;
}

/** Answers a search by what it found: its page and, if there is more, one item beyond it. */
export async function searchResponse(
  found: Found,
  { query, levels, answersNoContent, form, request }: SearchAnswer,
): Promise<Response> {
  const pickFields = fieldPicker(query, levels);
  const { items, held, isCut } =
    "items" in found
      ? found
      : {
          isCut: false,
          held: undefined,
          items: found.map((item) => itemBytes(pickFields(item))),
        };
  const page = items.slice(0, query.limit);
  // A body of parts has at least one.
  const isEmpty = page.length === 0 && (answersNoContent || form !== "json");
  const response = isEmpty
    ? new Response(null, { status: 204, headers: archiveHeaders(DICOM_JSON) })
    : await dataSetsResponse(page, { request, form }, held);
  if (items.length > query.limit || isCut) response.headers.append("Warning", MORE);
  if (query.ignored.length > 0) response.headers.append("Warning", ignoredWarning(query.ignored));
  return response;
}

/** Says which filters did not narrow the search (PS3.18 §8.3.4.1); only what a keyword, a tag or a path may have is repeated. */
function ignoredWarning(ignored: readonly string[]): string {
  const names = ignored
    .slice(0, MAX_IGNORED)
    .map((name) => name.slice(0, MAX_NAME_LENGTH).replace(/[^\w.-]/g, "?"));
  const others = ignored.length - names.length;
  return `299 dicomweb "These filters were ignored: ${names.join(", ")}${others > 0 ? ` and ${others} more` : ""}"`;
}

function itemBytes(json: DicomJson): Uint8Array {
  return Buffer.from(JSON.stringify(json));
}

/** Whether what is known of a study or a series passes the filters of that level. */
export function matchesLevel(json: DicomJson, { matches }: QidoQuery, level: Level): boolean {
  return matchesAll(
    json,
    matches.filter(({ path: [first] }) => first && levelOf(first.tag) === level),
  );
}

/** The page of a short list and, if there is more, one item beyond it. */
export function pageOf(all: DicomJson[], query: QidoQuery, level: Level): DicomJson[] {
  const { offset, limit } = query;
  return all.filter((json) => matchesLevel(json, query, level)).slice(offset, offset + limit + 1);
}

/** A series of the catalogue, for a search of its instances. */
export function searchedSeries(
  catalogue: Pick<DicomwebCatalogue, "find">,
  {
    studyInstanceUID,
    seriesInstanceUID,
    instanceCount,
    reference,
  }: SeriesUIDs & Named & { instanceCount: number },
  known: DicomJson,
): SearchedSeries {
  return {
    instanceCount,
    known,
    reference,
    find: () => catalogue.find(studyInstanceUID, seriesInstanceUID),
  };
}
