import { and, eq, inArray, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { TagHex } from "../../../shared/dicom/tags.ts";
import type { DbOrTx } from "../../db/client.ts";
import { PLANNED_ANEW } from "../../db/preparing.ts";
import { isKept } from "../../holdings/kept.repo.ts";
import { type StoredObjectRow, storedObjects } from "../../holdings/objects/stored-objects.table.ts";
import type { Page } from "../dicomweb/qido/parse-qido.ts";
import type { QidoMatch } from "../dicomweb/qido/qido-match.ts";
import { grantorsOf, MAX_GRANTOR_PARTS } from "../studies/access/grantors-of.ts";
import { grantedByAny, grantedByOthers, readGrantsRevision } from "../studies/grantors.repo.ts";
import { type Caller, grantedTo, ownPart, talliesOf, visibleTo } from "../studies/studies.repo.ts";
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
  isStudyWithSeries,
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
  /** Leaves out studies without a series of each of these lists. */
  seriesInstanceUIDs?: readonly (readonly string[])[];
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

/** The most ids that are fetched of a part of a search. */
const MAX_IDS_OF_PART = 5_000;
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
async function pageOf(db: DbOrTx, search: WideSearch, rows: Rows): Promise<SQL | undefined> {
  const { caller, limit, offset } = search;
  const { id, order, ofPart } = rows;
  const parts = await partsOf(db, search);
  const isUnknown = search.ofStudy.some(hasUnknownFrequency) && !isNarrow(search);
  const ofIndexes = isUnknown ? parts.filter(({ range }) => range) : [];
  // Several parts are put together by the ids of all up to the page. A page far behind has only one of them walked.
  const ranged = limit + offset > MAX_IDS_OF_PART ? ofIndexes.slice(0, 1) : ofIndexes;
  const firstOf = (found: SQL) => sql`(${found} order by ${order} limit ${limit + offset})`;
  const others = parts.filter((part) => !ranged.includes(part)).map((part) => ofPart(conditionOf(part)));
  const [main, ...further] = ranged;
  if (main && further.length === 0) {
    const ids = await idsOfPage(db, { ...textSearch(main, rows), ranges: 1, limit, offset, others });
    if (ids.length === 0) return undefined;
    // Between both statements a grant may end.
    return and(isAnyOf(id, ids), visibleTo(caller));
  }
  const ids: string[] = [];
  for (const part of ranged) {
    const upToPage = { ranges: ranged.length, limit: limit + offset, offset: 0, others: [] };
    ids.push(...(await idsOfPage(db, { ...textSearch(part, rows), ...upToPage })));
  }
  const first = others.map(firstOf);
  if (ids.length > 0) first.push(firstOf(ofPart(and(isAnyOf(id, ids), visibleTo(caller)))));
  return sql`${id} in (select id from (${sql.join(first, sql` union all `)}) as found
    order by ${order} limit ${limit} offset ${offset}) ${plannedAnew}`;
}

function textSearch({ range, wanted, follows, tallies }: Part, { order, ofMatching }: Rows) {
  const kept = sql`select coalesce(sum(${studyTallies.studies}), 0) from ${studyTallies} where ${tallies}`;
  return { range, wanted, follows, order, found: ofMatching, kept };
}

function isAnyOf(id: AnyPgColumn, ids: string[]): SQL {
  return sql`${id} = any(${sql.param(ids)}::uuid[])`;
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
  /** The tallies of the studies from which `range` takes some. */
  tallies?: SQL | undefined;
}

function conditionOf({ range, wanted }: Part): SQL | undefined {
  return and(range, wanted);
}

/** Studies of one account, or of all, as indexes give them. */
interface Seen {
  /** Which of them the caller sees, beside what an index gives. */
  isGranted?: SQL;
  ofAccount: SQL | undefined;
  /** Undefined if no index gives them in order. */
  tallies: SQL | undefined;
}

/** All that a caller sees, the accounts that granted the most first. A study is in one of them. */
async function seenOf(db: DbOrTx, search: Search): Promise<Seen[]> {
  const { caller, isGrantedOnly, ofStudy } = search;
  const own = { ofAccount: ownPart(caller), tallies: talliesOf(caller) };
  if (caller.role === "admin") return [own];
  const revision = await readGrantsRevision(db, caller);
  const { accountIds } = revision === "" ? { accountIds: [] } : await grantorsOf(db, caller, revision);
  // To walk through several accounts for a text costs more than to look at each grant.
  if (accountIds.length > 1 && ofStudy.some(hasUnknownFrequency) && !isNarrow(search)) {
    const ofAny = { ofAccount: grantedByAny(caller.userId), tallies: undefined };
    return isGrantedOnly ? [ofAny] : [own, ofAny];
  }
  const first = accountIds.slice(0, MAX_GRANTOR_PARTS);
  const isGranted = grantedTo(caller.userId);
  const seen: Seen[] = first.map((accountId) => ({
    isGranted,
    ofAccount: and(isKept(studies), eq(studies.accountId, accountId)),
    tallies: eq(studyTallies.accountId, accountId),
  }));
  if (!isGrantedOnly) seen.unshift(own);
  if (accountIds.length > first.length)
    seen.push({ ofAccount: grantedByOthers(first, caller.userId), tallies: undefined });
  return seen;
}

/**
 * The caller's own studies and granted ones in parts; a study meets at most one of them. The few studies whose columns the upload form
 * replaced are parts of their own; the others are found by the columns' indexes.
 */
export async function partsOf(db: DbOrTx, search: Search): Promise<Part[]> {
  const { ofStudy, ids, seriesInstanceUIDs = [], hasReport, changed = [] } = search;
  const seen = await seenOf(db, search);
  if (seen.length === 0) return [{ wanted: sql`false` }];
  const wantedOf = (from: ValuesFrom, matches = ofStudy) => [
    ...matches.map((match) => studyCondition(match, from)),
    ids === undefined ? undefined : ids.length > 0 ? inArray(studies.id, [...ids]) : sql`false`,
    ...seriesInstanceUIDs.map(isStudyWithSeries),
    hasReport ? studies.hasReport : undefined,
    ...changed.map((times) => or(...times.map(hasReport ? isReportChangedIn : isStudyChangedIn))),
  ];
  const isOfColumns = ofStudy.some(({ path: [first] }) => first && listColumns[first.tag]);
  if (!isOfColumns && !ofStudy.some(hasUnknownFrequency) && !search.ofSeries.some(isOfModality))
    return seen.map(({ ofAccount, isGranted }) => ({
      wanted: and(ofAccount, isGranted, ...wantedOf("columns")),
    }));
  const modalities = await knownModalities(db, seen, search);
  // The planner knows how many studies have a value, and nothing about patterns: a second condition would mislead it.
  const days = ofStudy.filter(isOfDays);
  const notOfDays = ofStudy.filter((match) => !isOfDays(match) && !isOfModalities(match));
  return seen.flatMap(({ ofAccount, isGranted, tallies }) => {
    const asUploaded = and(ofAccount, isNull(studies.instanceValues));
    const replaced = {
      wanted: and(ofAccount, isNotNull(studies.instanceValues), isGranted, ...wantedOf("instances")),
    };
    if (!tallies) return [{ wanted: and(asUploaded, ...wantedOf("columns")) }, replaced];
    const ofDays = days.map((match) => studyCondition(match, "columns"));
    return [
      {
        range: and(asUploaded, ...ofDays),
        wanted: and(modalities, ...wantedOf("columns", notOfDays), isGranted),
        follows: and(...ofStudy.map(followingCondition)),
        tallies,
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
 * The wanted modalities as the columns of studies have them, with others or alone: known values are found by their index. Those of
 * series are in the column of their study, if it has room for all.
 */
async function knownModalities(
  db: DbOrTx,
  seen: readonly Seen[],
  { ofStudy, ofSeries }: Search,
): Promise<SQL | undefined> {
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
    .where(and(or(...seen.map(({ tallies }) => tallies)), ...isWanted));
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
