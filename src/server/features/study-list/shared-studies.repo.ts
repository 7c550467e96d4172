import { and, count, desc, eq, isNotNull, isNull, ne, sql } from "drizzle-orm";
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
  fresh: { ofGrants: isNull(grants.seenAt), ofStudies: undefined, newest: grants.createdAt },
  seen: { ofGrants: isNotNull(grants.seenAt), ofStudies: undefined, newest: grants.seenAt },
  awaiting: {
    ofGrants: isNotNull(grants.reportAskedAt),
    ofStudies: eq(studies.hasReport, false),
    newest: grants.reportAskedAt,
  },
};
export type SharedPart = keyof typeof parts;

/** A part of the studies that others granted to a user, the newest first: their grants are sorted, and few studies are looked up. */
export async function listSharedStudies(
  db: DbOrTx,
  userId: string,
  part: SharedPart,
  limit: number,
): Promise<SharedStudyRow[]> {
  const { ofGrants, ofStudies, newest } = parts[part];
  const granted = db
    .select({
      studyId: grants.studyId,
      createdAt: grants.createdAt,
      seenAt: grants.seenAt,
      newest: sql`${newest}`.as("newest"),
    })
    .from(grants)
    .where(and(eq(grants.userId, userId), ofGrants))
    .orderBy(desc(newest), grants.studyId)
    .as("granted");
  return await db
    .select({ study: studies, ownerName: users.name, sharedAt: granted.createdAt, seenAt: granted.seenAt })
    .from(granted)
    .innerJoin(studies, eq(studies.id, granted.studyId))
    .innerJoin(users, eq(users.id, studies.accountId))
    .where(and(isKept(studies), ne(studies.accountId, userId), ofStudies))
    .orderBy(desc(granted.newest), granted.studyId)
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
    .where(and(eq(grants.userId, userId), isKept(studies), ne(studies.accountId, userId)));
  return row ?? { total: 0, fresh: 0 };
}
