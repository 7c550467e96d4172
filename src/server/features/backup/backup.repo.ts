import type { TransactionSql } from "postgres";

/** An object that the database names: where its bytes lie and what they must be. */
export interface NamedObject {
  key: string;
  sizeBytes: number;
  /** Hex. */
  sha256: string;
  /** The node whose staging area holds the bytes, while the archive store does not. */
  stagedOn: string | null;
}

/** At most this many rows are held at once. */
const ROWS_AT_ONCE = 1_000;

/** Every object that the snapshot of `tx` names, by key. */
export async function* listNamedObjects(tx: TransactionSql): AsyncGenerator<NamedObject> {
  const rows = tx<NamedObject[]>`
    select key, size_bytes::float8 as "sizeBytes", sha256,
      case when location = 'staging' then staged_on end as "stagedOn"
    from stored_objects
    union all
    select key, size_bytes::float8, sha256, null from lab_exams
    order by key`;
  for await (const page of rows.cursor(ROWS_AT_ONCE)) yield* page;
}
