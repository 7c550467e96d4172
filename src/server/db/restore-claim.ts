import type { TransactionSql } from "postgres";
import { DatabaseIsBeingRestored } from "./database.errors.ts";

/** A schema without tables, which is in a database as long as a restore into it is not whole. */
const CLAIM = "exameteca_restore";

/** Keeps every process from beginning to work on the database. Idempotent. */
export async function claimForRestore(tx: TransactionSql): Promise<void> {
  await tx.unsafe(`create schema if not exists ${CLAIM}`);
}

export async function isClaimedForRestore(tx: TransactionSql): Promise<boolean> {
  const [row] = await tx`select to_regnamespace(${CLAIM}) is not null as is_claimed`;
  return row?.is_claimed === true;
}

/** Lets processes work on the database, if the transaction commits. */
export async function endRestoreClaim(tx: TransactionSql): Promise<void> {
  await tx.unsafe(`drop schema if exists ${CLAIM}`);
}

/** @throws {DatabaseIsBeingRestored} */
export async function assertNotClaimed(tx: TransactionSql): Promise<void> {
  if (await isClaimedForRestore(tx)) throw new DatabaseIsBeingRestored(CLAIM);
}
