import type { Removal } from "../../../shared/api/subscriptions.ts";
import type { Deps } from "../../deps.ts";
import { listOpenRemovalRows } from "./removals.repo.ts";

const MAX_LISTED = 1_000;

/** The removals that an admin can still undo, most urgent first. */
export async function listOpenRemovals(deps: Pick<Deps, "db">): Promise<Removal[]> {
  const rows = await listOpenRemovalRows(deps.db, MAX_LISTED);
  return rows.map(({ removal, user }) => ({
    id: removal.id,
    user,
    reason: removal.reason,
    createdAt: removal.createdAt.toISOString(),
    purgeAfter: removal.purgeAfter.toISOString(),
    studyCount: removal.studyCount,
    labExamCount: removal.labExamCount,
  }));
}
