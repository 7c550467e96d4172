import { and, eq, inArray, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { TagHex } from "../../../shared/dicom/tags.ts";
import type { DbOrTx } from "../../db/client.ts";
import { PLANNED_ANEW } from "../../db/preparing.ts";
import { type StoredObjectRow, storedObjects } from "../../holdings/objects/stored-objects.table.ts";
import type { Page } from "../dicomweb/qido/parse-qido.ts";
import type { QidoMatch } from "../dicomweb/qido/qido-match.ts";
import { type Caller, talliesOf, visibleParts, visibleTo } from "../studies/studies.repo.ts";
import {
  MAX_INDEXED_TEXT,
  type SeriesRow,
  type StudyRow,
  series,
  studies,
  studyTallies,
} from "../studies/studies.table.ts";
import { isReportChangedIn, isStudyChangedIn, type TimeRange } from "./changed-condition.repo.ts";
import { followingCondition, hasUnknownFrequency } from "./following-conditions.repo.ts";
import { idsOfPage } from "./newest-page.repo.ts";
import {
  isSaid,
  listColumns,
  namesOne,
  seriesConditions,
  studyCondition,
  type ValuesFrom,
} from "./search-conditions.repo.ts";

/** A search over everything that a caller may see. */
export interface Search {
  caller: Caller;
  /** Leaves out the caller's own studies, for a caller without a subscription. */
  isGrantedOnly: boolean;
  ofStudy: readonly QidoMatch[];
  ofSeries: readonly QidoMatch[];
  /** Leaves out all other studies. */
  ids?: readonly string[] | undefined;
  /** Leaves out studies without a report. */
  hasReport?: boolean;
  /** Leaves out studies, or with `hasReport` reports, that last changed at no time of one of these lists. */
  changed?: readonly (readonly TimeRange[])[];
}

export interface WideSearch extends Search, Page {}

export interface FoundSeries {
  study: StudyRow;
  series: SeriesRow;
  manifest: StoredObjectRow;
}

const plannedAnew = sql.raw(PLANNED_ANEW);
const falling = sql`desc nulls last`;

/** A page of studies, newest first; what is wanted of series is left out of account. */
export async function searchStudies(db: DbOrTx, wide: WideSearch): Promise<StudyRow[]> {
  const search = { ...wide, ofSeries: [] };
  const keys = sql`${studies.id} as id, ${studies.studyDate} as day, ${studies.studyTime} as time`;
  const isOnPage = await pageOf(db, search, {
    id: studies.id,
    order: sql`day ${falling}, time ${falling}, id ${falling}`,
    ofPart: (part) => sql`select ${keys} from ${studies} where ${part}`,
    ofMatching: sql`select id, day, time from matching`,
  });
  if (!isOnPage) return [];
  return await db
    .select()
    .from(studies)
    .where(isOnPage)
    .orderBy(...newestFirst());
}

/** A page of series, those of the newest study first. */
export async function searchSeries(db: DbOrTx, search: WideSearch): Promise<FoundSeries[]> {
  const ofSeries = sql`${series.seriesNumber} as number, ${series.seriesInstanceUID} as uid`;
  const keys = sql`${series.id} as id, ${studies.studyDate} as day, ${studies.studyTime} as time, ${studies.id} as study_id`;
  const isWanted = seriesConditions(search.ofSeries);
  const isOnPage = await pageOf(db, search, {
    id: series.id,
    order: sql`day ${falling}, time ${falling}, study_id ${falling}, number nulls last, uid`,
    ofPart: (
      part,
    ) => sql`select ${keys}, ${ofSeries} from ${studies} inner join ${series} on ${series.studyId} = ${studies.id}
        where ${and(part, ...isWanted)}`,
    // `offset 0` makes PostgreSQL look up the series of each study, however many studies it expects.
    ofMatching: sql`select of_study.id, day, time, matching.id as study_id, number, uid from matching cross join lateral
        (select ${series.id} as id, ${ofSeries} from ${series} where ${and(sql`${series.studyId} = matching.id`, ...isWanted)} offset 0)
        as of_study`,
  });
  if (!isOnPage) return [];
  return await db
    .select({ study: studies, series, manifest: storedObjects })
    .from(series)
    .innerJoin(studies, eq(studies.id, series.studyId))
    .innerJoin(storedObjects, eq(storedObjects.id, series.manifestId))
    .where(isOnPage)
    .orderBy(...newestFirst(), sql`${series.seriesNumber} nulls last`, series.seriesInstanceUID);
}

function newestFirst(): SQL[] {
  return [studies.studyDate, studies.studyTime, studies.id].map((column) => sql`${column} ${falling}`);
}

/** How the rows of a search are written. */
interface Rows {
  id: AnyPgColumn;
  order: SQL;
  /** From the studies that meet a condition. */
  ofPart(part: SQL | undefined): SQL;
  /** From `matching`, which has their `id`, `day` and `time`. */
  ofMatching: SQL;
}

/**
 * The condition of the rows on the page, `undefined` if it has none: each part is walked in its index's order no further than the page
 * reaches, unless the search has a text of unknown frequency.
 */
async function pageOf(
  db: DbOrTx,
  search: WideSearch,
  { id, order, ofPart, ofMatching }: Rows,
): Promise<SQL | undefined> {
  const { caller, limit, offset } = search;
  const parts = await partsOf(db, search);
  const [main, ...rest] = parts;
  if (main?.range && search.ofStudy.some(hasUnknownFrequency) && !isNarrow(search)) {
    const ids = await idsOfPage(db, {
      range: main.range,
      wanted: main.wanted,
      follows: main.follows,
      order,
      limit,
      offset,
      found: ofMatching,
      others: rest.map((part) => ofPart(conditionOf(part))),
      kept: sql`select coalesce(sum(${studyTallies.studies}), 0) from ${studyTallies} where ${talliesOf(caller)}`,
    });
    if (ids.length === 0) return undefined;
    // Between both statements a grant may end.
    return and(sql`${id} = any(${sql.param(ids)}::uuid[])`, visibleTo(caller));
  }
  const first = parts.map(
    (part) => sql`(${ofPart(conditionOf(part))} order by ${order} limit ${limit + offset})`,
  );
  return sql`${id} in (select id from (${sql.join(first, sql` union all `)}) as found
    order by ${order} limit ${limit} offset ${offset}) ${plannedAnew}`;
}

/** Whether another condition finds few studies by its own index. */
function isNarrow({ ids, ofStudy }: Search): boolean {
  return ids !== undefined || ofStudy.some(namesOne);
}

/** Studies that a search is about. */
export interface Part {
  /** The conditions that the index of the newest studies answers in its order; undefined if another index finds the part. */
  range?: SQL | undefined;
  wanted: SQL | undefined;
  /** What follows from `wanted` and has an index that is right for a search of all that match. */
  follows?: SQL | undefined;
}

function conditionOf({ range, wanted }: Part): SQL | undefined {
  return and(range, wanted);
}

/**
 * The caller's own studies and granted ones in parts; a study meets at most one of them. The few studies whose columns the upload form
 * replaced are parts of their own; the others are found by the columns' indexes, and come first.
 */
export async function partsOf(db: DbOrTx, search: Search): Promise<Part[]> {
  const { caller, isGrantedOnly, ofStudy, ids, hasReport, changed = [] } = search;
  const { own, granted } = visibleParts(caller);
  const parts = caller.role === "admin" ? [own] : isGrantedOnly ? [granted] : [own, granted];
  const wantedOf = (from: ValuesFrom, matches = ofStudy) => [
    ...matches.map((match) => studyCondition(match, from)),
    ids === undefined ? undefined : ids.length > 0 ? inArray(studies.id, [...ids]) : sql`false`,
    hasReport ? studies.hasReport : undefined,
    ...changed.map((times) => or(...times.map(hasReport ? isReportChangedIn : isStudyChangedIn))),
  ];
  const isOfColumns = ofStudy.some(({ path: [first] }) => first && listColumns[first.tag]);
  if (!isOfColumns && !ofStudy.some(hasUnknownFrequency) && !search.ofSeries.some(isOfModality))
    return parts.map((part) => ({ wanted: and(part, ...wantedOf("columns")) }));
  const modalities = await ownModalities(db, search);
  // The planner knows how many studies have a value, and nothing about patterns: a second condition would mislead it.
  const days = ofStudy.filter(isOfDays);
  const notOfDays = ofStudy.filter((match) => !isOfDays(match) && !isOfModalities(match));
  return parts.flatMap((part) => {
    const asUploaded = and(part, isNull(studies.instanceValues));
    const replaced = { wanted: and(part, isNotNull(studies.instanceValues), ...wantedOf("instances")) };
    if (part !== own) return [{ wanted: and(asUploaded, ...wantedOf("columns")) }, replaced];
    const ofDays = days.map((match) => studyCondition(match, "columns"));
    return [
      {
        range: and(asUploaded, ...ofDays),
        wanted: and(modalities, ...wantedOf("columns", notOfDays)),
        follows: and(...ofStudy.map(followingCondition)),
      },
      replaced,
    ];
  });
}

function isOfDays({ path: [first], time, wanted }: QidoMatch): boolean {
  return first?.tag === TagHex.StudyDate && !time && wanted.kind === "range";
}

function isOfModalities({ path: [first] }: QidoMatch): boolean {
  return first?.tag === TagHex.ModalitiesInStudy;
}

function isOfModality({ path: [first] }: QidoMatch): boolean {
  return first?.tag === TagHex.Modality;
}

/**
 * The wanted modalities as the columns of own studies have them, with others or alone: known values are found by their index. Those of
 * series are in the column of their study, if it has room for all.
 */
async function ownModalities(db: DbOrTx, { caller, ofStudy, ofSeries }: Search): Promise<SQL | undefined> {
  const said = ({ wanted }: QidoMatch) =>
    isSaid(TagHex.ModalitiesInStudy, sql`${studyTallies.modality}`, wanted);
  const isFull = sql`length(${studyTallies.modality}) >= ${MAX_INDEXED_TEXT}`;
  const isWanted = [
    ...ofStudy.filter(isOfModalities).map(said),
    ...ofSeries.filter(isOfModality).map((match) => or(said(match), isFull)),
  ];
  if (isWanted.length === 0) return undefined;
  const rows = await db
    .selectDistinct({ modality: studyTallies.modality })
    .from(studyTallies)
    .where(and(talliesOf(caller), ...isWanted));
  return inArray(
    studies.modality,
    rows.map(({ modality }) => modality),
  );
}

/** Those of the UIDs that several studies have which the caller may see. */
export async function findSharedUIDs(
  db: DbOrTx,
  caller: Caller,
  studyInstanceUIDs: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .select({ uid: studies.studyInstanceUID })
    .from(studies)
    .where(and(inArray(studies.studyInstanceUID, [...new Set(studyInstanceUIDs)]), visibleTo(caller)))
    .groupBy(studies.studyInstanceUID)
    .having(sql`count(*) > 1`);
  return new Set(rows.map(({ uid }) => uid));
}
