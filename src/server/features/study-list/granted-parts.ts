import type { StudyListQuery } from "../../../shared/api/studies.ts";
import type { Deps } from "../../deps.ts";
import { grantorsOf, MAX_GRANTOR_PARTS } from "../studies/access/grantors-of.ts";
import { grantedBy, grantedByOthers, readGrantorTallies } from "../studies/grantors.repo.ts";
import type { Caller } from "../studies/studies.repo.ts";
import { RecentCounts } from "./recent-counts.ts";
import { conditionsOf, filtersOf, looksIntoGroups, type ModalityTally } from "./study-filters.repo.ts";
import { countGrantedParts, grantedRevision, type ListPart, type StudyTally } from "./study-list.repo.ts";

const recentCounts = new WeakMap<Deps["db"], RecentCounts<number[]>>();

/** The studies granted to a caller that pass the filters, by the account that granted them. */
export async function grantedParts(
  db: Deps["db"],
  caller: Caller,
  query: StudyListQuery,
  tally: StudyTally,
): Promise<ListPart[]> {
  const { accountIds } = await grantorsOf(db, caller, tally.grantsRevision);
  if (accountIds.length === 0) return [];
  const tallies = await readGrantorTallies(db, accountIds);
  const tallyOf = (ids: string[]): ModalityTally => ({
    byModality: Object.assign({}, ...ids.map((id) => tallies.byAccount[id] ?? {})),
  });
  const [first, others] = [accountIds.slice(0, MAX_GRANTOR_PARTS), accountIds.slice(MAX_GRANTOR_PARTS)];
  const parts: Omit<ListPart, "matching">[] = first.map((id) => ({
    conditions: conditionsOf(grantedBy(id, caller.userId), query, tallyOf([id])),
    indexed: Object.values(tallies.byAccount[id] ?? {}).reduce((sum, count) => sum + count, 0),
  }));
  if (others.length > 0) {
    const conditions = conditionsOf(grantedByOthers(first, caller.userId), query, tallyOf(others));
    parts.push({ conditions, indexed: undefined });
  }
  const known = recentCounts.get(db) ?? new RecentCounts();
  recentCounts.set(db, known);
  const key = JSON.stringify([caller.userId, filtersOf(query)]);
  const revision = grantedRevision(tally.grantsRevision, tallies.revision);
  const isKeepable = !looksIntoGroups(query);
  let counts = isKeepable ? known.get(key, revision) : undefined;
  if (!counts) {
    const counted = await countGrantedParts(db, caller, accountIds, parts);
    counts = counted.counts;
    // As a count of own studies: only what was counted at the revision by which the parts were made.
    if (isKeepable && counted.revision === revision) known.set(key, revision, counts);
  }
  return parts.map((part, index) => ({ ...part, matching: counts[index] ?? 0 }));
}
