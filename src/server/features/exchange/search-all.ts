import type { DicomJson } from "../../../shared/dicom/reading/instance.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { Session } from "../../http/session.ts";
import { searchTooBroad } from "../dicomweb/dicomweb.errors.ts";
import { openSeries, seriesRecord, studyRecord } from "../dicomweb/open-catalogue.ts";
import type { Page, QidoQuery } from "../dicomweb/parse-qido.ts";
import { levelOf } from "../dicomweb/qido-attributes.ts";
import { seriesJson, studyJson } from "../dicomweb/qido-json.ts";
import { type FoundInstances, type SearchedSeries, searchInstances } from "../dicomweb/search-instances.ts";
import { type FoundSeries, searchSeries, searchStudies, type WideSearch } from "./search.repo.ts";

export interface SearchDeps extends Pick<Deps, "db" | "series" | "readingTurns" | "searchTurns"> {
  /** The address of DICOMweb, by which answers name what they found. */
  baseUrl: string;
}

/** The most series whose instances one search reads. */
export const MAX_READ_SERIES = 200;
const SERIES_AT_ONCE = 500;
/** The most series that one search for instances passes over. */
const MAX_PASSED_SERIES = 20_000;

/** Finds a page of studies that the caller may see, and one more if there is one. */
export async function searchAllStudies(
  { db, baseUrl }: SearchDeps,
  session: Session,
  query: QidoQuery,
): Promise<DicomJson[]> {
  const rows = await searchStudies(db, wideSearch(session, query, andOneMore(query)));
  return rows.map((row) => studyJson(studyRecord(row), baseUrl));
}

/** As {@link searchAllStudies}, for series. */
export async function searchAllSeries(
  { db, baseUrl }: SearchDeps,
  session: Session,
  query: QidoQuery,
): Promise<DicomJson[]> {
  const rows = await searchSeries(db, wideSearch(session, query, andOneMore(query)));
  return rows.map((row) => knownOf(row, baseUrl));
}

/**
 * As {@link searchAllStudies}, for instances.
 * @throws {AppError} `search.too_broad` before more series are read than one search may
 */
export async function searchAllInstances(
  deps: SearchDeps,
  session: Session,
  query: QidoQuery,
): Promise<FoundInstances> {
  const { baseUrl } = deps;
  return await searchInstances(seriesFor(deps, session, query), {
    query,
    baseUrl,
    maxSeries: MAX_READ_SERIES,
    levels: ["study", "series", "instance"],
    turns: deps.searchTurns,
    callerId: session.userId,
  });
}

async function* seriesFor(
  deps: SearchDeps,
  session: Session,
  query: QidoQuery,
): AsyncGenerator<SearchedSeries> {
  const page = { limit: SERIES_AT_ONCE, offset: 0 };
  for (; page.offset < MAX_PASSED_SERIES; page.offset += SERIES_AT_ONCE) {
    const rows = await searchSeries(deps.db, wideSearch(session, query, page));
    for (const row of rows) {
      const { instanceCount } = row.series;
      const known = knownOf(row, deps.baseUrl);
      yield { instanceCount, known, ...openSeries(deps, session.userId, row.manifest) };
    }
    if (rows.length < SERIES_AT_ONCE) return;
  }
  throw new AppError(searchTooBroad);
}

function knownOf({ study, series }: FoundSeries, baseUrl: string): DicomJson {
  const record = seriesRecord(study.studyInstanceUID, series);
  return { ...studyJson(studyRecord(study), baseUrl), ...seriesJson(record, baseUrl) };
}

function andOneMore({ limit, offset }: Page): Page {
  return { limit: limit + 1, offset };
}

function wideSearch(session: Session, { matches }: QidoQuery, page: Page): WideSearch {
  const of = (level: "study" | "series") =>
    matches.filter(({ path: [first] }) => first && levelOf(first.tag) === level);
  return {
    ...page,
    caller: session,
    isGrantedOnly: !session.hasActiveSubscription,
    ofStudy: of("study"),
    ofSeries: of("series"),
  };
}
