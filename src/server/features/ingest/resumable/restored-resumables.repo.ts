import type { TransactionSql } from "postgres";
import type { ResumablePart } from "./resumable-uploads.table.ts";
import { expiryAfter } from "./upload-expiry.ts";

/** The parts of each upload whose bytes a restore brought. */
export type RestoredUploads = ReadonlyMap<string, readonly ResumablePart[]>;

/**
 * Has the uploads whose bytes a restore brought taken in at the next start, and forgets all others: a backup leaves out the bytes of those
 * under way, and the rest are only notices. Idempotent.
 */
export async function settleRestoredResumables(
  tx: TransactionSql,
  restored: RestoredUploads,
  now: Date,
): Promise<void> {
  const ids = [...restored.keys()];
  await tx`delete from resumable_uploads where id <> all (${ids}::uuid[])`;
  await tx`delete from resumable_parts`;
  await tx`update resumable_uploads set state = 'processing', size_bytes = received_bytes, held_by = null, held_until = null,
    problem = null, expires_at = ${expiryAfter(now).toISOString()}`;
  for (const [, parts] of restored)
    for (const { id, uploadId, offset, sizeBytes, sha256 } of parts)
      await tx`insert into resumable_parts (id, upload_id, "offset", size_bytes, sha256)
        select ${id}, ${uploadId}, ${offset}, ${sizeBytes}, ${sha256}
        where exists (select 1 from resumable_uploads where id = ${uploadId})`;
}
