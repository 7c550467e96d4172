import { eq, sql } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { type UserRow, users } from "./users.table.ts";

export async function findUserByEmail(db: DbOrTx, email: string): Promise<UserRow | undefined> {
  const [row] = await db
    .select()
    .from(users)
    .where(eq(sql`lower(${users.email})`, email.toLowerCase()));
  return row;
}

export async function findUser(db: DbOrTx, id: string): Promise<UserRow | undefined> {
  const [row] = await db.select().from(users).where(eq(users.id, id));
  return row;
}

/** `false` where the e-mail is taken, whatever its case. */
export async function insertUser(db: DbOrTx, row: typeof users.$inferInsert): Promise<boolean> {
  const inserted = await db.insert(users).values(row).onConflictDoNothing().returning({ id: users.id });
  return inserted.length === 1;
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
