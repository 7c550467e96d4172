import { sql } from "drizzle-orm";
import type { Db, DbOrTx } from "../db/client.ts";
import { lockSession } from "../db/locked-session.ts";
import { OperatorError } from "../runtime/operator-error.ts";

/** Arbitrary numbers that nothing else in the database locks. */
const DELETIONS_KEY = 4_829_117_304;
const BACKUP_KEY = 4_829_117_305;

/** While it lasts, no object that rows named at its beginning is deleted. It ends with the process at the latest. */
export interface DeletionHold extends AsyncDisposable {
  /** @throws {HoldIsLost} if the connection that holds was lost meanwhile */
  assertHeld(): Promise<void>;
}

/** Another process backs up the same installation. */
export class BackupIsRunning extends OperatorError {
  override name = "BackupIsRunning";
  constructor() {
    super("Another backup of this installation is running.");
  }
}

/** Objects may have been deleted since, so the copies may be incomplete. */
export class HoldIsLost extends OperatorError {
  override name = "HoldIsLost";
  constructor() {
    super("The connection to the database was lost meanwhile: what was copied may not be whole.");
  }
}

/**
 * Holds deletions back for a backup; waits for those that are under way.
 * @throws {BackupIsRunning}
 */
export async function holdDeletions(databaseUrl: string): Promise<DeletionHold> {
  const session = await lockSession(databaseUrl, "exameteca-backup", async (client) => {
    const [row] = await client`select pg_try_advisory_lock(${BACKUP_KEY}) as is_only`;
    if (!row?.is_only) return false;
    await client`select pg_advisory_lock(${DELETIONS_KEY})`;
    return true;
  });
  if (!session) throw new BackupIsRunning();
  return {
    async assertHeld() {
      if (!(await session.isHeld())) throw new HoldIsLost();
    },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

/**
 * Whether a backup holds deletions back. It may begin as soon as this answers, and sees then what was committed before: so this serves for
 * what the rows name no more.
 */
export async function areDeletionsHeld(db: DbOrTx): Promise<boolean> {
  const rows = await db.execute(
    sql`select pg_try_advisory_xact_lock_shared(${DELETIONS_KEY}::bigint) as is_free`,
  );
  return rows[0]?.is_free !== true;
}

/** Runs `deletion` unless a backup holds deletions back; then returns `false`. A backup waits until it has run. */
export async function deleteUnlessHeld(db: Db, deletion: () => Promise<void>): Promise<boolean> {
  return await db.transaction(async (tx) => {
    // Keeps a backup waiting until this transaction ends.
    if (await areDeletionsHeld(tx)) return false;
    // A remote store may take longer than a transaction may stay idle.
    await tx.execute(sql`select set_config('idle_in_transaction_session_timeout', '0', true)`);
    await deletion();
    return true;
  });
}
