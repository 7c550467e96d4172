import type { TransactionSql } from "postgres";

/** Records, after a restore, that the bytes of every study are in the archive store. */
export async function settleRestoredStudies(tx: TransactionSql): Promise<void> {
  await tx`update studies set storage_status = 'b2' where storage_status <> 'b2'`;
}

/** Marks, after a restore, the studies of which objects are known to be damaged or missing. */
export async function markRestoredStudies(tx: TransactionSql, now: Date): Promise<void> {
  await tx`update studies set integrity = worst, verified_at = ${now.toISOString()}
    from (
      select study_id, max(found::integrity) as worst
      from integrity_findings where closed_at is null and study_id is not null group by study_id
    ) as findings
    where study_id = studies.id and integrity not in ('missing', worst)`;
}
