import type { DicomJson } from "../../../shared/dicom/reading/instance.ts";
import type { DbOrTx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { Session } from "../../http/session.ts";
import { openSeries, seriesRecord, studyRecord } from "../dicomweb/catalogue/open-catalogue.ts";
import { searchTooBroad } from "../dicomweb/dicomweb.errors.ts";
import type { Page, QidoQuery } from "../dicomweb/qido/parse-qido.ts";
import { levelOf } from "../dicomweb/qido/qido-attributes.ts";
import { seriesJson, studyJson } from "../dicomweb/qido/qido-json.ts";
import {
  type FoundInstances,
  type SearchedSeries,
  searchInstances,
} from "../dicomweb/qido/search-instances.ts";
import type { Searcher } from "../dicomweb/turns/searcher.ts";
import type { Caller } from "../studies/studies.repo.ts";
import type { StudyRow } from "../studies/studies.table.ts";
import {
  type FoundSeries,
  findSharedUIDs,
  searchSeries,
  searchStudies,
  type WideSearch,
} from "./search.repo.ts";

export interface SearchDeps extends Pick<Deps, "db" | "series" | "readingTurns" | "searchTurns"> {
  /** The address of DICOMweb, by which answers name what they found. */
  baseUrl: string;
  /** The request's. */
  signal?: AbortSignal;
}

/** The most series of whose instances one search reads the metadata. */
export const MAX_READ_SERIES = 200;
/** The most series of which one search looks at the list of instances, which is short and often in memory. */
export const MAX_LISTED_SERIES = 5_000;
/** Most searches need no more than the first few; the next ones are read in larger pages. */
const FIRST_SERIES = 20;
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
  const references = await referencesOf(db, session, rows);
  return rows.map((row) => studyJson({ ...studyRecord(row), reference: references.get(row.id) }, baseUrl));
}

/** As {@link searchAllStudies}, for series. */
export async function searchAllSeries(
  { db, baseUrl }: SearchDeps,
  session: Session,
  query: QidoQuery,
): Promise<DicomJson[]> {
  const rows = await searchSeries(db, wideSearch(session, query, andOneMore(query)));
  const references = await referencesOf(
    db,
    session,
    rows.map(({ study }) => study),
  );
  return rows.map((row) => knownOf(row, references.get(row.study.id), baseUrl));
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
  const { baseUrl, signal } = deps;
  return await searchInstances(seriesFor(deps, session, query), {
    query,
    baseUrl,
    maxSeries: MAX_READ_SERIES,
    maxLists: MAX_LISTED_SERIES,
    levels: ["study", "series", "instance"],
    turns: deps.searchTurns,
    searcher: searcherOf(session),
    signal,
  });
}

function searcherOf({ userId, isTrial }: Session): Searcher {
  return { callerId: userId, isTrial };
}

async function* seriesFor(
  deps: SearchDeps,
  session: Session,
  query: QidoQuery,
): AsyncGenerator<SearchedSeries> {
  let limit = FIRST_SERIES;
  for (let offset = 0; offset < MAX_PASSED_SERIES; ) {
    const rows = await searchSeries(deps.db, wideSearch(session, query, { limit, offset }));
    const references = await referencesOf(
      deps.db,
      session,
      rows.map(({ study }) => study),
    );
    const copies = await deps.series.copies(rows.map(({ manifest }) => manifest.id));
    for (const row of rows) {
      const { instanceCount } = row.series;
      const reference = references.get(row.study.id);
      const known = knownOf(row, reference, deps.baseUrl);
      const opened = openSeries(deps, searcherOf(session), row.manifest, copies.has(row.manifest.id));
      yield { instanceCount, known, reference, find: async () => opened };
    }
    if (rows.length < limit) return;
    offset += limit;
    limit = SERIES_AT_ONCE;
  }
  throw new AppError(searchTooBroad);
}

function knownOf({ study, series }: FoundSeries, reference: string | undefined, baseUrl: string): DicomJson {
  const record = { ...seriesRecord(study.studyInstanceUID, series), reference };
  return { ...studyJson({ ...studyRecord(study), reference }, baseUrl), ...seriesJson(record, baseUrl) };
}

/** Our ids of the studies that their UIDs do not name: others' that share one with a study of the caller's, or with each other. */
async function referencesOf(
  db: DbOrTx,
  caller: Caller,
  studies: readonly StudyRow[],
): Promise<Map<string, string>> {
  const others = studies.filter(({ accountId }) => accountId !== caller.userId);
  if (others.length === 0) return new Map();
  const shared = await findSharedUIDs(
    db,
    caller,
    others.map(({ studyInstanceUID }) => studyInstanceUID),
  );
  return new Map(
    others.filter(({ studyInstanceUID }) => shared.has(studyInstanceUID)).map(({ id }) => [id, id]),
  );
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
