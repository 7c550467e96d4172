import { ACTIVITY_PER_PAGE, type Activity } from "../../../shared/api/activity.ts";
import type { Deps } from "../../deps.ts";
import { presentActingToken } from "../accounts/access-tokens/present-acting-token.ts";
import { listActivity } from "./account-audit.repo.ts";

/** A page of what was done in the caller's account and by them elsewhere, newest first. */
export async function readActivity(
  { db }: Pick<Deps, "db">,
  userId: string,
  beforeId: number | undefined,
): Promise<Activity> {
  const page = { beforeId: beforeId ?? null, limit: ACTIVITY_PER_PAGE + 1 };
  const rows = await listActivity(db, userId, page);
  return {
    events: rows.slice(0, ACTIVITY_PER_PAGE).map(({ actorId, at, isByToken, tokenName, ...row }) => ({
      ...row,
      at: at.toISOString(),
      isYours: actorId === userId,
      ...presentActingToken({ isByToken, tokenName }),
    })),
    hasMore: rows.length > ACTIVITY_PER_PAGE,
  };
}
