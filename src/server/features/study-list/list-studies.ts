import type { StudyListQuery } from "../../../shared/api/studies.ts";
import type { Deps } from "../../deps.ts";
import { type Caller, ownPart } from "../studies/studies.repo.ts";
import { grantedParts } from "./granted-parts.ts";
import { RecentCounts } from "./recent-counts.ts";
import {
  conditionsOf,
  filtersOf,
  looksIntoGroups,
  type ModalityTally,
  modalitiesWith,
} from "./study-filters.repo.ts";
import {
  countOwnPart,
  type ListPart,
  listStudies,
  readStudyTally,
  type StudyListRow,
  type StudyTally,
  seesGranted,
} from "./study-list.repo.ts";

const MAX_LISTED = 10_000;

/** Returns a page of the caller's visible studies, and how many studies pass the filters in total. */
export async function pageOfStudies(
  { db }: Pick<Deps, "db">,
  caller: Caller,
  query: StudyListQuery,
): Promise<{ rows: StudyListRow[]; total: number; hasSeveralPatients: boolean }> {
  const { limit = MAX_LISTED, offset = 0 } = query;
  const tally = await readStudyTally(db, caller);
  const own: ListPart = {
    conditions: conditionsOf(ownPart(caller), query, tally),
    indexed: sumOf(tally),
    matching: await countOwn(db, caller, query, tally),
  };
  const parts = [own, ...(seesGranted(query, tally) ? await grantedParts(db, caller, query, tally) : [])];
  const total = parts.reduce((sum, { matching }) => sum + matching, 0);
  const { hasSeveralPatients } = tally;
  if (offset >= total) return { rows: [], total, hasSeveralPatients };
  const rows = await listStudies(db, { query, limit, offset, parts });
  // A last page gives the exact number, even if studies were added or removed since they were counted.
  const isLast = rows.length > 0 && rows.length < limit;
  const shown = offset + rows.length;
  return { rows, total: isLast ? shown : Math.max(total, shown), hasSeveralPatients };
}

function sumOf({ byModality }: ModalityTally): number {
  return Object.values(byModality).reduce((sum, count) => sum + count, 0);
}

const recentCounts = new WeakMap<Deps["db"], RecentCounts>();

/**
 * How many own studies pass the filters. The tally answers for a modality; other filters are counted, and counted again only after
 * the studies changed.
 */
async function countOwn(
  db: Deps["db"],
  caller: Caller,
  query: StudyListQuery,
  tally: StudyTally,
): Promise<number> {
  const { modality, others } = filtersOf(query);
  if (Object.values(others).every((value) => !value)) {
    const modalities = modality ? modalitiesWith(modality, tally) : Object.keys(tally.byModality);
    return modalities.reduce((sum, known) => sum + (tally.byModality[known] ?? 0), 0);
  }
  if (looksIntoGroups(query)) return (await countOwnPart(db, caller, query, tally)).count;
  const counts = recentCounts.get(db) ?? new RecentCounts();
  recentCounts.set(db, counts);
  const key = JSON.stringify([caller.role === "admin" || caller.userId, modality, others]);
  const known = counts.get(key, tally.revision);
  if (known !== undefined) return known;
  const { count, revision } = await countOwnPart(db, caller, query, tally);
  // A count is kept only at the tally's revision: if studies changed since, the tally may lack a modality that should be counted.
  if (revision === tally.revision) counts.set(key, revision, count);
  return count;
}
