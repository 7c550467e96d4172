import type { Deps } from "../../deps.ts";
import { listLinks, listVisits } from "./links.repo.ts";
import { presentLink, presentOpening } from "./read-links.ts";

const MAX_LINKS = 3_000;
const MAX_VISITS = 10_000;

/** The links of an account with their openings, for the export of its data. */
export async function describeLinks(deps: Pick<Deps, "db" | "clock">, accountId: string) {
  const now = deps.clock.now();
  const rows = await listLinks(deps.db, { accountId }, { now, limit: MAX_LINKS });
  const ids = rows.map(({ link }) => link.id);
  const visits = Map.groupBy(await listVisits(deps.db, ids, MAX_VISITS), ({ linkId }) => linkId);
  return rows.map((row) => ({
    ...presentLink(row, now),
    visits: (visits.get(row.link.id) ?? []).map(presentOpening),
  }));
}
