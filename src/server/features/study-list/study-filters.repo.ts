import { and, gte, inArray, isNotNull, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { StudyListQuery } from "../../../shared/api/studies.ts";
import { foldName, gramsOf } from "../../../shared/dicom/folded-name.ts";
import { modalitiesCalled } from "../../../shared/dicom/modality-words.ts";
import { fold } from "../../../shared/fold.ts";
import { contains } from "../../db/like.ts";
import { studies } from "../studies/studies.table.ts";

/** How many of some studies have each modality, as the studies have it; `""` for none. */
export interface ModalityTally {
  byModality: Record<string, number>;
}

/** The shortest text that a trigram index can find. */
const TRIGRAM = 3;

/**
 * Conditions for the studies of an account that pass the filters. A study meets at most one of them, and each has an index.
 * @param ofAccount which of them are meant
 */
export function conditionsOf(
  ofAccount: SQL | undefined,
  query: StudyListQuery,
  tally: ModalityTally,
): (SQL | undefined)[] {
  const modality = modalityOf(query);
  const isModality = modality ? inArray(studies.modality, modalitiesWith(modality, tally)) : undefined;
  const rest = and(ofAccount, textsMatch(query), isModality);
  return examinedBetween(query).map((examined) => and(rest, examined));
}

function textsMatch(query: StudyListQuery): SQL | undefined {
  return and(
    ...wordsOf(query.search).map(isFound),
    hasName(query.patientName),
    containsFolded(studies.patientIDFolded, query.patientID),
    containsFolded(studies.accessionNumberFolded, query.accessionNumber),
    containsFolded(studies.descriptionFolded, query.description),
  );
}

/** A search has so many different words; further ones are ignored. */
const MAX_WORDS = 10;

function wordsOf(search = ""): string[] {
  return [...new Set(fold(search).split(" "))].filter(Boolean).slice(0, MAX_WORDS);
}

/** A study has the word, or a modality that people call by it. The index finds a short word only where one begins. */
function isFound(word: string): SQL | undefined {
  const text = word.length < TRIGRAM ? ` ${word}` : word;
  const codes = modalitiesCalled(word).map((code) => contains(studies.searchFolded, ` ${code} `));
  return or(containsAsTyped(studies.searchFolded, text), ...codes, isInGroups(word));
}

/** A name in the form of DICOM, `family^given`, finds itself. */
function hasName(name = ""): SQL | undefined {
  const folded = foldName(name);
  return folded ? or(containsAsTyped(studies.patientNameFolded, folded), isInGroups(folded)) : undefined;
}

/**
 * Whether a form of the name that the list does not show has the text, such as 山田 of Yamada: with or without a space between
 * family and given name, as people write it. Undefined for a text of ASCII, which the shown form has.
 */
function isInGroups(folded: string): SQL | undefined {
  const groups = studies.patientNameGroups;
  if (gramsOf(folded).length === 0) return undefined;
  return and(isNotNull(groups), contains(sql`replace(${groups}, ' ', '')`, folded.replaceAll(" ", "")));
}

/** Whether a query may find a study by {@link isInGroups}. No tally is written when these forms of a name become known. */
export function looksIntoGroups({ search, patientName = "" }: StudyListQuery): boolean {
  return [...wordsOf(search), foldName(patientName)].some((text) => gramsOf(text).length > 0);
}

function containsFolded(column: AnyPgColumn, text: string | undefined): SQL | undefined {
  const folded = text && fold(text);
  return folded ? containsAsTyped(column, folded) : undefined;
}

/** A phone types ’ where a keyboard types ', and so may whoever wrote the name: Sant’Ana finds Sant'Ana, and it the other. */
function containsAsTyped(column: AnyPgColumn, text: string): SQL | undefined {
  const forms = new Set([text, text.replaceAll("’", "'"), text.replaceAll("'", "’")]);
  return or(...[...forms].map((form) => contains(column, form)));
}

/** The filters of a query: all that decides which studies it counts, and no order and no page. */
export function filtersOf(query: StudyListQuery) {
  const {
    limit: _limit,
    offset: _offset,
    sort: _sort,
    order: _order,
    modality: _modality,
    whose: _whose,
    ...others
  } = query;
  return { modality: modalityOf(query), others };
}

/** The requested modality, in capitals as the codes are; a study may have several. */
export function modalityOf({ modality }: StudyListQuery): string | undefined {
  return modality === "all" || modality === "" ? undefined : modality?.toUpperCase();
}

/** The modality values in the tally that contain the requested modality. */
export function modalitiesWith(modality: string, { byModality }: ModalityTally): string[] {
  return Object.keys(byModality).filter((known) => known.toUpperCase().includes(modality));
}

/**
 * Two disjoint date conditions, since studies without a date pass; only `undefined` if no dates are given.
 */
function examinedBetween({ startDate, endDate }: StudyListQuery): (SQL | undefined)[] {
  if (!startDate && !endDate) return [undefined];
  const from = startDate ? gte(studies.studyDate, startDate) : undefined;
  const to = endDate ? lte(studies.studyDate, endDate) : undefined;
  return [and(from, to), isNull(studies.studyDate)];
}

/** Whether one index finds all matches of a query: it has at most one filter, and that is no text too short for trigrams. */
export function hasIndexOfItsOwn(query: StudyListQuery): boolean {
  const texts = [query.patientName, query.patientID, query.accessionNumber, query.description].filter(
    Boolean,
  );
  const others = [query.search, modalityOf(query), query.startDate || query.endDate].filter(Boolean);
  const isShort = texts.some((text = "") => fold(text).length < TRIGRAM);
  return texts.length + others.length <= 1 && !isShort;
}
