import type { TransactionSql } from "postgres";
import { DatabaseIsBeingRestored } from "./database.errors.ts";
import type { Sql } from "./postgres.ts";

/** A schema that is in a database as long as a restore into it is not whole. */
const CLAIM = "exameteca_restore";
/** An empty table in it, once the restore has brought its rows. */
const LOADED = `${CLAIM}.loaded`;

/** Keeps every process from beginning to work on the database. Idempotent. */
export async function claimForRestore(tx: TransactionSql): Promise<void> {
  await tx.unsafe(`create schema if not exists ${CLAIM}`);
}

export async function isClaimedForRestore(tx: TransactionSql): Promise<boolean> {
  const [row] = await tx`select to_regnamespace(${CLAIM}) is not null as is_claimed`;
  return row?.is_claimed === true;
}

/** Notes in a claimed database that the rows there are the restore's, if the transaction that brings them commits. Idempotent. */
export async function noteLoaded(tx: Sql | TransactionSql): Promise<void> {
  await tx.unsafe(`create table if not exists ${LOADED} ()`);
}

/** Whether the rows of the database are those of the restore that claims it. */
export async function isNotedLoaded(sql: Sql): Promise<boolean> {
  const [row] = await sql`select to_regclass(${LOADED}) is not null as is_loaded`;
  return row?.is_loaded === true;
}

/** Lets processes work on the database, if the transaction commits. */
export async function endRestoreClaim(tx: TransactionSql): Promise<void> {
  await tx.unsafe(`drop schema if exists ${CLAIM} cascade`);
}

/** @throws {DatabaseIsBeingRestored} */
export async function assertNotClaimed(tx: TransactionSql): Promise<void> {
  if (await isClaimedForRestore(tx)) throw new DatabaseIsBeingRestored(CLAIM);
}
