import { and, count, desc, eq, isNotNull, isNull, ne, type SQL, sql } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { isKept } from "../../holdings/kept.repo.ts";
import { users } from "../accounts/users/users.table.ts";
import { grants, studies } from "../studies/studies.table.ts";
import type { StudyListRow } from "./study-list.repo.ts";

export interface SharedStudyRow extends StudyListRow {
  sharedAt: Date;
  seenAt: Date | null;
}

const parts = {
  fresh: { filter: isNull(grants.seenAt), newest: grants.createdAt },
  seen: { filter: isNotNull(grants.seenAt), newest: grants.seenAt },
  awaiting: {
    filter: and(isNotNull(grants.reportAskedAt), eq(studies.hasReport, false)),
    newest: grants.reportAskedAt,
  },
};
export type SharedPart = keyof typeof parts;

function grantedByOthers(userId: string, filter?: SQL): SQL | undefined {
  return and(eq(grants.userId, userId), isKept(studies), ne(studies.accountId, userId), filter);
}

/** A part of the studies that others granted to a user, the newest first. */
export async function listSharedStudies(
  db: DbOrTx,
  userId: string,
  part: SharedPart,
  limit: number,
): Promise<SharedStudyRow[]> {
  const { filter, newest } = parts[part];
  return await db
    .select({ study: studies, ownerName: users.name, sharedAt: grants.createdAt, seenAt: grants.seenAt })
    .from(grants)
    .innerJoin(studies, eq(studies.id, grants.studyId))
    .innerJoin(users, eq(users.id, studies.accountId))
    .where(grantedByOthers(userId, filter))
    .orderBy(desc(newest), studies.id)
    .limit(limit);
}

/** How many studies others granted to a user, and how many of them they never opened. */
export async function countSharedStudies(
  db: DbOrTx,
  userId: string,
): Promise<{ total: number; fresh: number }> {
  const [row] = await db
    .select({ total: count(), fresh: count(sql`case when ${grants.seenAt} is null then 1 end`) })
    .from(grants)
    .innerJoin(studies, eq(studies.id, grants.studyId))
    .where(grantedByOthers(userId));
  return row ?? { total: 0, fresh: 0 };
}
