import { and, desc, eq, gte, inArray, sql } from "drizzle-orm";
import { isUuid } from "../../../../shared/uuid.ts";
import type { DbOrTx, Tx } from "../../../db/client.ts";
import { type Given, prepared } from "../../../db/prepared.ts";
import { statementChunks } from "../../../db/statement-chunks.ts";
import { type UserRow, users } from "./users.table.ts";

export async function findUserByEmail(db: DbOrTx, email: string): Promise<UserRow | undefined> {
  const [row] = await db
    .select()
    .from(users)
    .where(eq(sql`lower(${users.email})`, email.toLowerCase()));
  return row;
}

const userById = prepared((db, given: Given<{ id: string }>) =>
  db.select().from(users).where(eq(users.id, given.id)),
);

export async function findUser(db: DbOrTx, id: string): Promise<UserRow | undefined> {
  const [row] = await userById(db, { id });
  return row;
}

/** The ids among these that are accounts. */
export async function findExistingUsers(db: DbOrTx, ids: string[]): Promise<Set<string>> {
  const uuids = ids.filter(isUuid);
  const found = new Set<string>();
  for (const some of statementChunks(uuids)) {
    const rows = await db.select({ id: users.id }).from(users).where(inArray(users.id, some));
    for (const { id } of rows) found.add(id);
  }
  return found;
}

/** Returns `false` if the e-mail is taken, compared without case. */
export async function insertUser(db: DbOrTx, row: typeof users.$inferInsert): Promise<boolean> {
  const labelled = { ...row, labelledEmail: row.email };
  const inserted = await db.insert(users).values(labelled).onConflictDoNothing().returning({ id: users.id });
  return inserted.length === 1;
}

/** Accounts whose address differs from the one that the labels of their studies say. */
export async function listMovedUsers(
  db: DbOrTx,
  limit: number,
): Promise<Pick<UserRow, "id" | "email" | "labelledEmail">[]> {
  return await db
    .select({ id: users.id, email: users.email, labelledEmail: users.labelledEmail })
    .from(users)
    .where(sql`${users.labelledEmail} is distinct from ${users.email}`)
    .limit(limit);
}

/** Records that the labels say `email`, if the account still has it. */
export async function noteLabelledEmail(db: DbOrTx, id: string, email: string): Promise<void> {
  await db
    .update(users)
    .set({ labelledEmail: email })
    .where(and(eq(users.id, id), eq(users.email, email)));
}

export async function updateUser(
  db: DbOrTx,
  id: string,
  values: Partial<typeof users.$inferInsert>,
): Promise<boolean> {
  const updated = await db.update(users).set(values).where(eq(users.id, id)).returning({ id: users.id });
  return updated.length === 1;
}

export async function countUsersOfRole(db: DbOrTx, role: UserRow["role"]): Promise<number> {
  return await db.$count(users, eq(users.role, role));
}

export async function countUsers(db: DbOrTx): Promise<number> {
  return await db.$count(users);
}

/** Locks an address until the transaction ends; others that want it wait. */
export async function lockAddress(tx: Tx, email: string): Promise<void> {
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`address ${email.toLowerCase()}`}, 0))`,
  );
}

/**
 * The user row, locked until the transaction ends. Other transactions can still insert rows that refer to the user: they may
 * hold the subscription's lock, which comes after the user's.
 */
export async function lockUser(tx: Tx, id: string): Promise<UserRow | undefined> {
  const [row] = await tx.select().from(users).where(eq(users.id, id)).for("no key update");
  return row;
}

/**
 * Like {@link lockUser}, for changes that may remove an admin. Locks all admins first, so that two admins who change each
 * other do not deadlock.
 */
export async function lockUserAmongAdmins(tx: Tx, id: string): Promise<UserRow | undefined> {
  const known = await findUser(tx, id);
  if (known?.role === "admin") await lockAdmins(tx);
  return await lockUser(tx, id);
}

/** Like {@link lockUser}, and blocks new rows that refer to the user. Take it after the subscription's lock. */
export async function lockUserForDeletion(tx: Tx, id: string): Promise<void> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, id)).for("update");
}

/**
 * Whether there is an authorised admin other than `id`. Locks the admins until the transaction ends, so that the last two
 * cannot be removed at the same time.
 */
export async function hasOtherAdmin(tx: Tx, id: string): Promise<boolean> {
  const admins = await lockAdmins(tx);
  return admins.some((admin) => admin.id !== id && admin.isAuthorized);
}

async function lockAdmins(tx: Tx): Promise<Pick<UserRow, "id" | "isAuthorized">[]> {
  return await tx
    .select({ id: users.id, isAuthorized: users.isAuthorized })
    .from(users)
    .where(eq(users.role, "admin"))
    .orderBy(users.id)
    .for("no key update");
}

export async function deleteUserRow(tx: Tx, id: string): Promise<void> {
  await tx.delete(users).where(eq(users.id, id));
}

/** The authorised admins, oldest first. */
export async function listAdmins(db: DbOrTx, limit: number): Promise<UserRow[]> {
  return await db
    .select()
    .from(users)
    .where(and(eq(users.role, "admin"), eq(users.isAuthorized, true)))
    .orderBy(users.createdAt)
    .limit(limit);
}

/** The accounts made since then, the newest first. */
export async function listNewUsers(db: DbOrTx, since: Date, limit: number): Promise<UserRow[]> {
  return await db
    .select()
    .from(users)
    .where(gte(users.createdAt, since))
    .orderBy(desc(users.createdAt))
    .limit(limit);
}

/** The address for the operator's mail if none is configured. */
export async function findFirstAdminEmail(db: DbOrTx): Promise<string | undefined> {
  const [row] = await db
    .select({ email: users.email })
    .from(users)
    .where(and(eq(users.role, "admin"), eq(users.isAuthorized, true)))
    .orderBy(users.createdAt)
    .limit(1);
  return row?.email;
}
