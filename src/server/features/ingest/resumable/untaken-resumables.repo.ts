import type { TransactionSql } from "postgres";
import type { ResumablePart } from "./resumable-uploads.table.ts";

/** An upload whose sender was told that its bytes are kept, and that no study shows yet. */
export interface UntakenUpload {
  id: string;
  sizeBytes: number;
  /** The objects that hold it in an S3 store, in the order of their offsets. */
  parts: Pick<ResumablePart, "id" | "uploadId" | "sizeBytes" | "sha256">[];
}

/** At most this many rows are held at once: each may name some hundred parts. */
const ROWS_AT_ONCE = 20;

/** What is whole and waits, such as for room in its plan, and what DICOM senders have stored so far. */
export async function* listUntaken(tx: TransactionSql): AsyncGenerator<UntakenUpload> {
  const rows = tx<UntakenUpload[]>`
    select id, received_bytes::float8 as "sizeBytes", coalesce(
      (select json_agg(json_build_object(
        'id', id, 'uploadId', upload_id, 'sizeBytes', size_bytes, 'sha256', sha256) order by "offset")
      from resumable_parts where upload_id = resumable_uploads.id), '[]') as parts
    from resumable_uploads
    where state = 'processing' or (state = 'receiving' and receiver_id is not null and received_bytes > 0)
    order by id`;
  for await (const page of rows.cursor(ROWS_AT_ONCE)) yield* page;
}
