import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { pseudonymiseQueue } from "./audit-queues.ts";
import { pseudonymiseNext } from "./audit-retention.repo.ts";

/**
 * Removes from the audit what still identifies the account that the transaction deletes. Most accounts have few rows, which change with
 * it. A million would take minutes, for which nobody may wait behind the transaction: a job goes on with them once it is committed.
 */
export async function pseudonymiseAudit(
  { jobs }: Pick<Deps, "jobs">,
  tx: Tx,
  accountId: string,
): Promise<void> {
  const after = await pseudonymiseNext(tx, accountId, 0);
  if (after !== undefined) await jobs.enqueue(pseudonymiseQueue, { accountId, after }, { tx });
}

/** Goes on after row `after`, some rows at a time. */
export async function pseudonymiseRest(
  { db }: Pick<Deps, "db">,
  { accountId, after }: { accountId: string; after: number },
  signal: AbortSignal,
): Promise<void> {
  for (let last: number | undefined = after; last !== undefined; ) {
    signal.throwIfAborted();
    last = await pseudonymiseNext(db, accountId, last);
  }
}
