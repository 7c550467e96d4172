import type { TransactionSql } from "postgres";
import type { Sql } from "../../db/postgres.ts";
import { purgeQueue } from "../../holdings/holding-queues.ts";
import type { SoughtObject } from "../../holdings/object-sources.ts";

/** An object that the database names: where its bytes are, and their size and hash. */
export interface NamedObject extends SoughtObject {
  /** `null` for a laboratory PDF. */
  studyInstanceUID: string | null;
}

/** At most this many rows are held at once. */
const ROWS_AT_ONCE = 1_000;

const NAMED = `
  select key, stored_objects.size_bytes::float8 as "sizeBytes", sha256,
    case when location = 'staging' then staged_on end as "stagedOn",
    study_instance_uid as "studyInstanceUID"
  from stored_objects join studies on studies.id = study_id
  union all
  select key, size_bytes::float8, sha256, null, null from lab_exams`;

/** Every object that the snapshot of `tx` names, by key. */
export async function* listNamedObjects(tx: TransactionSql): AsyncGenerator<NamedObject> {
  const rows = tx.unsafe<NamedObject[]>(`${NAMED} order by key`);
  for await (const page of rows.cursor(ROWS_AT_ONCE)) yield* page;
}

/** The object that the database names now under `key`. */
export async function findNamedObject(sql: Sql, key: string): Promise<NamedObject | undefined> {
  const [row] = await sql.unsafe<NamedObject[]>(`select * from (${NAMED}) named where key = $1`, [key]);
  return row;
}

/** An upload that has just ended removes what it no longer needs. */
const ENDING = "interval '1 minute'";

/**
 * The orphans among `keys`: no row names them, they belong to no upload that is under way, has just ended or waits to be swept, and no
 * job is about to delete them.
 */
export async function listOrphans(sql: Sql, keys: readonly string[]): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select key from unnest(${keys as string[]}::text[]) as given (key)
    where not exists (select 1 from stored_objects where stored_objects.key = given.key)
      and not exists (select 1 from lab_exams where lab_exams.key = given.key)
      and not exists (select 1 from derivatives where derivatives.key = given.key)
      and not exists (
        select 1 from uploads
        where uploads.id::text = split_part(given.key, '/', 1)
          and (state = 'receiving' or (state = 'failed' and bytes_removed_at is null)
            or finished_at > now() - ${sql.unsafe(ENDING)}))
      and not exists (
        select 1 from resumable_uploads where resumable_uploads.id::text = split_part(given.key, '/', 1))
      and not exists (
        select 1 from pgboss.job
        where (name = ${purgeQueue.name} or name like 'staging.purge.%')
          and state in ('created', 'retry', 'active')
          and data -> 'keys' ? given.key)`;
  return rows.map(({ key }) => key);
}

/** Which of the uploads this database knows: it has a row of each, or of an object that it stored. */
export async function findKnownUploads(sql: Sql, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const known = await sql<{ id: string }[]>`
    select id::text from uploads where id = any(${ids}::uuid[])
    union select upload_id::text from stored_objects where upload_id = any(${ids}::uuid[])`;
  return new Set(known.map(({ id }) => id));
}
