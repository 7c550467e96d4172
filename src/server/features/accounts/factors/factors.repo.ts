import { and, asc, eq, isNotNull, isNull, lt, lte, or, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { SignInMethod } from "../../../../shared/rules/sign-in-methods.ts";
import type { DbOrTx, Tx } from "../../../db/client.ts";
import { runConcurrently } from "../../../db/run-concurrently.ts";
import {
  type PasskeyRow,
  passkeys,
  recoveryCodes,
  type TotpRow,
  totpSecrets,
  usedChallenges,
} from "./factors.table.ts";

/** The second steps that an account can sign in with besides the mailbox; empty if it has no factor of its own. */
export async function findSignInMethods(db: DbOrTx, userId: string): Promise<SignInMethod[]> {
  const [totp, passkeyCount, recoveryCount] = await runConcurrently(
    findTotp(db, userId),
    db.$count(passkeys, eq(passkeys.userId, userId)),
    countRecoveryCodes(db, userId),
  );
  const methods: SignInMethod[] = [];
  if (totp?.confirmedAt) methods.push("totp");
  if (passkeyCount > 0) methods.push("passkey");
  // Recovery codes replace a lost factor but are not a factor themselves.
  if (methods.length > 0 && recoveryCount > 0) methods.push("recovery");
  return methods;
}

/** Ids of those among the accounts that have a factor of their own. */
export async function listUsersWithFactors(db: DbOrTx, ids: readonly string[]): Promise<Set<string>> {
  const isOne = (userId: AnyPgColumn) => sql`${userId} = any(${sql.param([...ids])}::uuid[])`;
  const [byPasskey, byTotp] = await Promise.all([
    db.selectDistinct({ userId: passkeys.userId }).from(passkeys).where(isOne(passkeys.userId)),
    db
      .select({ userId: totpSecrets.userId })
      .from(totpSecrets)
      .where(and(isNotNull(totpSecrets.confirmedAt), isOne(totpSecrets.userId))),
  ]);
  return new Set([...byPasskey, ...byTotp].map(({ userId }) => userId));
}

export async function listPasskeys(db: DbOrTx, userId: string): Promise<PasskeyRow[]> {
  return await db
    .select()
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(asc(passkeys.createdAt), asc(passkeys.id))
    .limit(100);
}

export async function findPasskey(db: DbOrTx, credentialId: string): Promise<PasskeyRow | undefined> {
  const [row] = await db.select().from(passkeys).where(eq(passkeys.credentialId, credentialId));
  return row;
}

/** Returns `false` if the credential is registered already, for this account or another. */
export async function insertPasskey(tx: Tx, row: typeof passkeys.$inferInsert): Promise<boolean> {
  const inserted = await tx.insert(passkeys).values(row).onConflictDoNothing().returning({ id: passkeys.id });
  return inserted.length === 1;
}

export async function renamePasskey(
  db: DbOrTx,
  { id, userId, name }: { id: string; userId: string; name: string },
): Promise<PasskeyRow | undefined> {
  const [row] = await db
    .update(passkeys)
    .set({ name })
    .where(and(eq(passkeys.id, id), eq(passkeys.userId, userId)))
    .returning();
  return row;
}

export async function deletePasskey(
  tx: Tx,
  { id, userId }: { id: string; userId: string },
): Promise<boolean> {
  const deleted = await tx
    .delete(passkeys)
    .where(and(eq(passkeys.id, id), eq(passkeys.userId, userId)))
    .returning({ id: passkeys.id });
  return deleted.length === 1;
}

/**
 * Records a use. Returns `false` if the key is gone or its stored counter has reached `counter` in the meantime. If both
 * counters are 0, the authenticator does not count.
 */
export async function notePasskeyUse(
  tx: Tx,
  id: string,
  { counter, isBackedUp, at }: { counter: number; isBackedUp: boolean; at: Date },
): Promise<boolean> {
  const goesOn = or(lt(passkeys.counter, counter), and(eq(passkeys.counter, 0), sql`${counter} = 0`));
  const updated = await tx
    .update(passkeys)
    .set({ counter, isBackedUp, lastUsedAt: at })
    .where(and(eq(passkeys.id, id), goesOn))
    .returning({ id: passkeys.id });
  return updated.length === 1;
}

/** Returns `true` for the one caller that used up the challenge. */
export async function takeChallenge(tx: Tx, challengeHash: string, expiresAt: Date): Promise<boolean> {
  const inserted = await tx
    .insert(usedChallenges)
    .values({ challengeHash, expiresAt })
    .onConflictDoNothing()
    .returning({ challengeHash: usedChallenges.challengeHash });
  return inserted.length === 1;
}

export async function deleteOldChallenges(db: DbOrTx, now: Date): Promise<void> {
  await db.delete(usedChallenges).where(lte(usedChallenges.expiresAt, now));
}

export async function findTotp(db: DbOrTx, userId: string): Promise<TotpRow | undefined> {
  const [row] = await db.select().from(totpSecrets).where(eq(totpSecrets.userId, userId));
  return row;
}

/** Stores a secret, replacing an unconfirmed one. Returns `false` if a confirmed secret exists. */
export async function putPendingTotp(
  db: DbOrTx,
  row: { userId: string; sealedSecret: string; createdAt: Date },
): Promise<boolean> {
  const { sealedSecret, createdAt } = row;
  const put = await db
    .insert(totpSecrets)
    .values(row)
    .onConflictDoUpdate({
      target: totpSecrets.userId,
      set: { sealedSecret, createdAt },
      setWhere: isNull(totpSecrets.confirmedAt),
    })
    .returning({ userId: totpSecrets.userId });
  return put.length === 1;
}

/** Returns `false` if this secret was confirmed or replaced in the meantime. */
export async function confirmTotp(
  tx: Tx,
  { userId, sealedSecret, step, at }: { userId: string; sealedSecret: string; step: number; at: Date },
): Promise<boolean> {
  const confirmed = await tx
    .update(totpSecrets)
    .set({ confirmedAt: at, lastStep: step })
    .where(
      and(
        eq(totpSecrets.userId, userId),
        eq(totpSecrets.sealedSecret, sealedSecret),
        isNull(totpSecrets.confirmedAt),
      ),
    )
    .returning({ userId: totpSecrets.userId });
  return confirmed.length === 1;
}

/** Returns `true` for the one caller that used this step's code. It ends older steps too. */
export async function takeTotpStep(db: DbOrTx, userId: string, step: number, at: Date): Promise<boolean> {
  const taken = await db
    .update(totpSecrets)
    .set({ lastStep: step, lastUsedAt: at })
    .where(
      and(
        eq(totpSecrets.userId, userId),
        isNotNull(totpSecrets.confirmedAt),
        or(isNull(totpSecrets.lastStep), lt(totpSecrets.lastStep, step)),
      ),
    )
    .returning({ userId: totpSecrets.userId });
  return taken.length === 1;
}

/** Deletes the secret, pending or confirmed. Returns `true` if it was confirmed. */
export async function deleteTotp(tx: Tx, userId: string): Promise<boolean> {
  const [row] = await tx
    .delete(totpSecrets)
    .where(eq(totpSecrets.userId, userId))
    .returning({ confirmedAt: totpSecrets.confirmedAt });
  return row?.confirmedAt != null;
}

export async function replaceRecoveryCodes(
  tx: Tx,
  { userId, codeHashes, at }: { userId: string; codeHashes: string[]; at: Date },
): Promise<void> {
  await deleteRecoveryCodes(tx, userId);
  await tx.insert(recoveryCodes).values(codeHashes.map((codeHash) => ({ userId, codeHash, createdAt: at })));
}

/** Returns `true` for the one caller that used up the code. */
export async function takeRecoveryCode(
  tx: Tx,
  { userId, codeHash, at }: { userId: string; codeHash: string; at: Date },
): Promise<boolean> {
  const taken = await tx
    .update(recoveryCodes)
    .set({ usedAt: at })
    .where(
      and(
        eq(recoveryCodes.userId, userId),
        eq(recoveryCodes.codeHash, codeHash),
        isNull(recoveryCodes.usedAt),
      ),
    )
    .returning({ codeHash: recoveryCodes.codeHash });
  return taken.length === 1;
}

/** Counts the unused codes. */
export async function countRecoveryCodes(db: DbOrTx, userId: string): Promise<number> {
  return await db.$count(recoveryCodes, and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt)));
}

export async function deleteRecoveryCodes(tx: Tx, userId: string): Promise<void> {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
}

/** Deletes every factor of an account. Returns whether there was one. */
export async function deleteFactors(tx: Tx, userId: string): Promise<boolean> {
  const keys = await tx.delete(passkeys).where(eq(passkeys.userId, userId)).returning({ id: passkeys.id });
  const hadTotp = await deleteTotp(tx, userId);
  await deleteRecoveryCodes(tx, userId);
  return hadTotp || keys.length > 0;
}
