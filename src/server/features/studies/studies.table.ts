import { type SQL, sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  bigint,
  boolean,
  date,
  index,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import type { DicomJson } from "../../../shared/dicom/reading/instance.ts";
import type { WrittenRow } from "../../db/given-rows.ts";
import { keyOf } from "../../db/key-of.ts";
import { integrity } from "../../holdings/objects/stored-objects.table.ts";
import { users } from "../accounts/users/users.table.ts";
import {
  type Columns,
  hasNameGrams,
  hasPhysicians,
  isNameUnread,
  isTimeUnread,
  nameGrams,
  physicianNames,
  timeOfDay,
} from "./indexed-expressions.repo.ts";

/** `b2` means "in the archive store", whichever adapter that is. */
export const storageStatus = pgEnum("storage_status", ["local", "transferring", "b2", "error"]);

/** Index columns that the upload form may override, with the values of the instances. */
export interface InstanceValues {
  patientName?: string | null;
  patientID?: string | null;
  patientBirthDate?: string | null;
  patientSex?: string | null;
  accessionNumber?: string | null;
  description?: string | null;
  studyDate?: string | null;
  studyTime?: string | null;
  institutionName?: string | null;
  modality?: string | null;
}

/** In characters. An index entry holds 2.7 kB; values within the standard are shorter, but a damaged disc may hold longer ones. */
export const MAX_INDEXED_TEXT = 512;

function falling(column: AnyPgColumn): SQL {
  return sql`${column} DESC NULLS LAST`;
}

/**
 * Indexes for each sort order of the list, per account and (for admins) over all accounts. Each page is one index range scan, in
 * both sort directions; ties are ordered by id.
 */
function sortIndexes(
  table: Columns<
    | "id"
    | "accountId"
    | "removalId"
    | "studyDate"
    | "studyTime"
    | "patientNameFolded"
    | "descriptionFolded"
    | "modality"
    | "instanceCount"
    | "seriesCount"
    | "createdAt"
  >,
) {
  const by = (name: string, ...columns: AnyPgColumn[]) => {
    const keys = [...columns, table.id].map(falling) as [SQL, ...SQL[]];
    return [
      index(`studies_account_${name}_idx`)
        .on(table.accountId, ...keys)
        .where(sql`${table.removalId} is null`),
      index(`studies_${name}_idx`)
        .on(...keys)
        .where(sql`${table.removalId} is null`),
    ];
  };
  return [
    ...by("date", table.studyDate, table.studyTime),
    ...by("patient_name", table.patientNameFolded),
    ...by("description", table.descriptionFolded),
    ...by("modality", table.modality),
    ...by("instances", table.instanceCount),
    ...by("series", table.seriesCount),
    ...by("created", table.createdAt),
  ];
}

/**
 * An index of what a text contains. Every search reads all entries that were not yet merged into it: up to 4 MB by default, which takes
 * longer than most searches.
 */
function trigramIndex(name: string, column: AnyPgColumn) {
  return index(`studies_${name}_trgm_idx`)
    .using("gin", sql`${column} gin_trgm_ops`)
    .with({ gin_pending_list_limit: UNMERGED_KB });
}

const UNMERGED_KB = 256;

/**
 * Has the account beside the name. Without it a search reads that name in all accounts, and PostgreSQL, which guesses from a sample how
 * often that is, now and then walks the whole account instead.
 */
function nameIndex(table: Record<"accountId" | "patientNameFolded", AnyPgColumn>) {
  return index("studies_account_name_trgm_idx")
    .using("gin", sql`${table.accountId}`, sql`${table.patientNameFolded} gin_trgm_ops`)
    .with({ gin_pending_list_limit: UNMERGED_KB });
}

/** Folds as `fold` in src/shared does, in functions of PostgreSQL that a generated column may use. */
const searchFoldedExpression = sql`' ' || patient_name_folded || ' ' || patient_id_folded || ' ' || accession_number_folded || ' '
  || description_folded || ' ' || regexp_replace(lower(regexp_replace(normalize(left(coalesce(institution_name, ''), 512), NFKD),
  '[\\u0300-\\u036f]+', '', 'g')), '\\s+', ' ', 'g') || ' ' || replace(lower(coalesce(modality, '')), '\\', ' ') || ' '`;

/** A study as the list shows it. Index columns may be overridden by the upload form; instances never are. */
export const studies = pgTable(
  "studies",
  {
    id: uuid().primaryKey(),
    accountId: uuid("account_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    studyInstanceUID: text("study_instance_uid").notNull(),
    patientName: text("patient_name"),
    patientID: text("patient_id"),
    patientBirthDate: date("patient_birth_date"),
    patientSex: text("patient_sex"),
    accessionNumber: text("accession_number"),
    description: text(),
    studyDate: date("study_date"),
    studyTime: text("study_time"),
    institutionName: text("institution_name"),
    /**
     * Distinct modalities of its series, sorted and joined by backslashes like ModalitiesInStudy; at most {@link MAX_INDEXED_TEXT}.
     */
    modality: text(),
    seriesCount: integer("series_count").notNull(),
    instanceCount: integer("instance_count").notNull(),
    /** Bytes of its volumes and manifests. */
    sizeBytes: bigint("size_bytes", { mode: "number" }).notNull(),
    storageStatus: storageStatus("storage_status").notNull(),
    hasReport: boolean("has_report").notNull().default(false),
    integrity: integrity().notNull().default("unchecked"),
    /** When `integrity` was last determined; null while the bytes are unchecked. */
    verifiedAt: timestamp("verified_at", { withTimezone: true }),
    /** The instances' values of columns that the upload form replaced; null if it replaced none. */
    instanceValues: jsonb("instance_values").$type<InstanceValues>(),
    /** Further attributes of its first instance, for DICOMweb searches; null until a job has read those of an older release. */
    attributes: jsonb().$type<DicomJson>(),
    /** The instances' name with all its groups, as `foldedGroups` writes them; null if `patientName` has all of it. */
    patientNameGroups: text("patient_name_groups"),
    /**
     * How often a job tried in vain to read the instances' name with all its groups; null once it is known. An older release leaves
     * the default.
     */
    patientNameTries: smallint("patient_name_tries").default(0),
    /** The same for the fraction of a second of the instances' time, which is among `attributes`. */
    studyTimeTries: smallint("study_time_tries").default(0),
    /**
     * Patient name, patient ID, accession number and description folded for search (no case, no accents), each cut to
     * {@link MAX_INDEXED_TEXT}.
     */
    patientNameFolded: text("patient_name_folded").notNull().default(""),
    patientIDFolded: text("patient_id_folded").notNull().default(""),
    accessionNumberFolded: text("accession_number_folded").notNull().default(""),
    descriptionFolded: text("description_folded").notNull().default(""),
    /**
     * What the one search field looks into: the folded columns, the folded institution and the modality codes in lower case,
     * each word between spaces. The database writes it, so that it is right whoever writes the row.
     */
    searchFolded: text("search_folded").generatedAlwaysAs(searchFoldedExpression),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    /** Who delivered it, as they said; null if the account brought it in itself. */
    receivedFrom: text("received_from"),
    /** Whether a manifest's label says what these columns, the owner's e-mail and the report say. */
    labelled: boolean().notNull().default(false),
    /** Set while a cancelled account's study waits to be purged: nobody sees it, and an undo brings it back. */
    removalId: uuid("removal_id").references(() => keyOf("removals")),
  },
  (table) => [
    uniqueIndex("studies_account_uid_key")
      .on(table.accountId, table.studyInstanceUID)
      .where(sql`${table.removalId} is null`),
    index("studies_removal_id_idx").on(table.removalId).where(sql`${table.removalId} is not null`),
    index("studies_unlabelled_idx").on(table.id).where(sql`not ${table.labelled}`),
    index("studies_undescribed_idx").on(table.id).where(sql`${table.attributes} is null`),
    index("studies_uid_idx").on(table.studyInstanceUID),
    index("studies_name_unread_idx").on(table.id).where(isNameUnread(table)),
    index("studies_time_unread_idx").on(table.id).where(isTimeUnread(table)),
    index("studies_name_groups_idx").on(table.accountId).where(sql`${table.patientNameGroups} is not null`),
    index("studies_overridden_idx").on(table.accountId).where(sql`${table.instanceValues} is not null`),
    ...sortIndexes(table),
    // Not partial, since the deletion of an account uses it to find all its studies, including those that wait to be purged.
    index("studies_account_idx").on(table.accountId),
    // The list counts common texts from these alone, without reading the rows.
    index("studies_account_patient_id_idx")
      .on(table.accountId, table.patientIDFolded)
      .where(sql`${table.removalId} is null`),
    index("studies_account_accession_number_idx")
      .on(table.accountId, table.accessionNumberFolded)
      .where(sql`${table.removalId} is null`),
    // FHIR's counts of reports and of dates read these alone; the first also gives the newest reports in their order.
    index("studies_account_reported_idx")
      .on(table.accountId, falling(table.studyDate), falling(table.studyTime), falling(table.id))
      .where(sql`${table.hasReport} and ${table.removalId} is null`),
    index("studies_account_said_date_idx")
      .on(table.accountId, table.studyDate, table.hasReport)
      .where(sql`${table.removalId} is null and ${table.instanceValues} is null`),
    // For DICOMweb searches by an exact identifier, over one account or, for admins, over all.
    index("studies_patient_id_idx").on(table.patientIDFolded, table.accountId),
    index("studies_accession_number_idx").on(table.accessionNumberFolded, table.accountId),
    nameIndex(table),
    trigramIndex("patient_id", table.patientIDFolded),
    trigramIndex("accession_number", table.accessionNumberFolded),
    trigramIndex("description", table.descriptionFolded),
    trigramIndex("search", table.searchFolded),
    trigramIndex("name_groups", table.patientNameGroups).where(sql`${table.patientNameGroups} is not null`),
    // For DICOMweb searches by what has no column: whole values, and words of physicians' names.
    index("studies_attributes_idx")
      .using("gin", sql`${table.attributes} jsonb_path_ops`)
      .with({ gin_pending_list_limit: UNMERGED_KB }),
    index("studies_physicians_trgm_idx")
      .using("gin", sql`(${physicianNames(table)}) gin_trgm_ops`)
      .with({ gin_pending_list_limit: UNMERGED_KB })
      .where(hasPhysicians(table)),
    index("studies_account_time_idx")
      .on(table.accountId, timeOfDay(table))
      .where(sql`${table.removalId} is null`),
    index("studies_name_grams_idx")
      .using("gin", nameGrams(table))
      .with({ gin_pending_list_limit: UNMERGED_KB })
      .where(hasNameGrams(table)),
  ],
);

/**
 * How many kept studies an account has, by modality: the sum over all its rows, which triggers on `studies` write in the
 * transaction of every change. Rows are never changed, only replaced by one with another id, and never wait for a lock. So equal
 * ids mean that no count of the account's studies has changed.
 */
export const studyTallies = pgTable(
  "study_tallies",
  {
    id: uuid().primaryKey(),
    accountId: uuid("account_id").notNull(),
    /** As in the study; empty if it has none. */
    modality: text().notNull(),
    studies: integer().notNull(),
  },
  (table) => [index("study_tallies_account_idx").on(table.accountId)],
);

export const series = pgTable(
  "series",
  {
    id: uuid().primaryKey(),
    studyId: uuid("study_id")
      .notNull()
      .references(() => studies.id, { onDelete: "cascade" }),
    seriesInstanceUID: text("series_instance_uid").notNull(),
    seriesNumber: integer("series_number"),
    description: text(),
    modality: text(),
    instanceCount: integer("instance_count").notNull(),
    /** The manifest in force; the commit of an upload switches it. */
    manifestId: uuid("manifest_id").notNull(),
    /** Further attributes of its first instance, for DICOMweb searches; null until a job has read those of an older release. */
    attributes: jsonb().$type<DicomJson>(),
  },
  (table) => [
    uniqueIndex("series_study_uid_key").on(table.studyId, table.seriesInstanceUID),
    index("series_uid_idx").on(table.seriesInstanceUID),
    index("series_undescribed_idx").on(table.id).where(sql`${table.attributes} is null`),
  ],
);

/** The users besides the owner who may see a study. */
export const grants = pgTable(
  "grants",
  {
    studyId: uuid("study_id")
      .notNull()
      .references(() => studies.id, { onDelete: "cascade" }),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    grantedBy: uuid("granted_by"),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    /** When the user last opened the images or the report; null if they never did. */
    seenAt: timestamp("seen_at", { withTimezone: true }),
    /** When the user was last asked for a report. */
    reportAskedAt: timestamp("report_asked_at", { withTimezone: true }),
  },
  (table) => [
    primaryKey({ columns: [table.studyId, table.userId] }),
    index("grants_user_id_idx").on(table.userId),
  ],
);

export type StudyRow = typeof studies.$inferSelect;
export type WrittenStudyRow = WrittenRow<typeof studies>;
export type SeriesRow = typeof series.$inferSelect;
