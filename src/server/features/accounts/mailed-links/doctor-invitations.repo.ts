import { and, desc, eq, gt, lte, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "../../../db/client.ts";
import { doctorInvitations } from "../accounts.table.ts";

export type InvitationRow = typeof doctorInvitations.$inferSelect;

const MAX_LISTED = 100;

/** Adds an invitation in the place of an earlier one of the same address to the same study. */
export async function replaceInvitation(tx: Tx, row: InvitationRow): Promise<void> {
  const { studyId, email } = row;
  await tx
    .delete(doctorInvitations)
    .where(
      and(
        eq(doctorInvitations.studyId, studyId),
        eq(sql`lower(${doctorInvitations.email})`, email.toLowerCase()),
      ),
    );
  await tx.insert(doctorInvitations).values(row);
}

export async function countInvitationsBy(db: DbOrTx, userId: string, now: Date): Promise<number> {
  return await db.$count(
    doctorInvitations,
    and(eq(doctorInvitations.invitedBy, userId), gt(doctorInvitations.expiresAt, now)),
  );
}

/** The invitation of a link, unless it is used, withdrawn or too old. */
export async function findInvitation(
  db: DbOrTx,
  tokenHash: string,
  now: Date,
): Promise<InvitationRow | undefined> {
  const [row] = await db.select().from(doctorInvitations).where(isAlive(tokenHash, now));
  return row;
}

/** Uses up a link. Safe under concurrency: exactly one caller gets it. */
export async function takeInvitation(
  tx: Tx,
  tokenHash: string,
  now: Date,
): Promise<InvitationRow | undefined> {
  const [row] = await tx.delete(doctorInvitations).where(isAlive(tokenHash, now)).returning();
  return row;
}

function isAlive(tokenHash: string, now: Date) {
  return and(eq(doctorInvitations.tokenHash, tokenHash), gt(doctorInvitations.expiresAt, now));
}

/** The open invitations to a study, the newest first. */
export async function listInvitations(db: DbOrTx, studyId: string, now: Date): Promise<InvitationRow[]> {
  return await db
    .select()
    .from(doctorInvitations)
    .where(and(eq(doctorInvitations.studyId, studyId), gt(doctorInvitations.expiresAt, now)))
    .orderBy(desc(doctorInvitations.createdAt), doctorInvitations.id)
    .limit(MAX_LISTED);
}

/** The open invitations that an account sent, the newest first. */
export async function listInvitationsBy(db: DbOrTx, userId: string) {
  const { studyId, email, createdAt, expiresAt } = doctorInvitations;
  return await db
    .select({ studyId, email, createdAt, expiresAt })
    .from(doctorInvitations)
    .where(eq(doctorInvitations.invitedBy, userId))
    .orderBy(desc(createdAt))
    .limit(1_000);
}

export async function deleteInvitation(tx: Tx, studyId: string, id: string): Promise<boolean> {
  const rows = await tx
    .delete(doctorInvitations)
    .where(and(eq(doctorInvitations.studyId, studyId), eq(doctorInvitations.id, id)))
    .returning({ id: doctorInvitations.id });
  return rows.length === 1;
}

export async function deleteInvitationsBy(tx: Tx, userId: string): Promise<void> {
  await tx.delete(doctorInvitations).where(eq(doctorInvitations.invitedBy, userId));
}

export async function deleteExpiredInvitations(db: DbOrTx, now: Date): Promise<void> {
  await db.delete(doctorInvitations).where(lte(doctorInvitations.expiresAt, now));
}
