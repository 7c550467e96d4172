import type { TransactionSql } from "postgres";

/** Uploads whose senders were told that their bytes are kept, and that no study shows yet. */
export interface Untaken {
  uploads: number;
  bytes: number;
}

/** Counts what is whole and waits, such as for room in its plan, and what DICOM senders have stored so far. */
export async function countUntaken(tx: TransactionSql): Promise<Untaken> {
  const [row] = await tx<[Untaken]>`
    select count(*)::int as uploads, coalesce(sum(received_bytes), 0)::float8 as bytes
    from resumable_uploads
    where state = 'processing' or (state = 'receiving' and receiver_id is not null and received_bytes > 0)`;
  return row;
}
