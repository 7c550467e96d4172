import { type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { TagHex } from "../../../shared/dicom/tags.ts";

/* What indexes of studies say of columns: PostgreSQL uses such an index for a search that says the same. */

export type Columns<Name extends string> = Record<Name, AnyPgColumn>;

/** Attributes of a study that are names of physicians. */
export const PHYSICIAN_TAGS = [
  TagHex.ReferringPhysicianName,
  TagHex.NameOfPhysiciansReadingStudy,
  TagHex.RequestingPhysician,
] as const;

/** Their JSON, folded: it holds each word of a name, whatever groups and values they have. */
export function physicianNames({ attributes }: Columns<"attributes">): SQL {
  const [first, second, third] = PHYSICIAN_TAGS.map(
    (tag) => sql`coalesce(${attributes} ->> ${sql.raw(`'${tag}'`)}, '')`,
  );
  return sql`lower(regexp_replace(normalize(${first} || ${second} || ${third}, NFKD), '[\\u0300-\\u036f\\u3099\\u309a]+', '', 'g'))`;
}

/** Studies that the index of {@link physicianNames} has. */
export function hasPhysicians({ attributes }: Columns<"attributes">): SQL {
  return sql`${attributes} ?| ${sql.raw(`'{${PHYSICIAN_TAGS.join(",")}}'`)}::text[]`;
}

/** The time of day in an order that no collation changes. */
export function timeOfDay({ studyTime }: Columns<"studyTime">): SQL {
  return sql`(${studyTime} collate "C")`;
}

/** After so many tries what an older release did not keep counts as something that can't be read. */
const MAX_TRIES = 5;

/** Studies whose instances may have a name with more groups than the columns say. */
export function isNameUnread(table: Columns<"patientNameTries" | "patientNameGroups">): SQL {
  return sql`${table.patientNameTries} < ${sql.raw(String(MAX_TRIES))} and ${table.patientNameGroups} is null`;
}

/** Studies whose time may have a fraction of a second: its column has none, and the instances were not read for it yet. */
export function isTimeUnread(table: Columns<"studyTimeTries" | "studyTime">): SQL {
  return sql`${table.studyTimeTries} < ${sql.raw(String(MAX_TRIES))} and ${table.studyTime} is not null`;
}

type NameColumns = Columns<"patientNameFolded" | "patientNameGroups">;

/**
 * Each letter beyond ASCII in a patient's name, each pair and each three of them in a row: trigrams know no such
 * letters. The function is in the migrations.
 */
export function nameGrams({ patientNameFolded, patientNameGroups }: NameColumns): SQL {
  return sql`name_grams(${patientNameFolded}, ${patientNameGroups})`;
}

/** Studies that the index of {@link nameGrams} has: those whose name may hold such letters. */
export function hasNameGrams({ patientNameFolded, patientNameGroups }: NameColumns): SQL {
  return sql`(${patientNameGroups} is not null or octet_length(${patientNameFolded}) > char_length(${patientNameFolded}))`;
}
