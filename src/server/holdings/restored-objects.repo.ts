import type { TransactionSql } from "postgres";
import { statementChunks } from "../db/statement-chunks.ts";
import type { Damage } from "./checking/integrity.ts";

/** What a restore knows of an object that it can't bring as it was stored. */
export interface RestoredDamage {
  key: string;
  found: Damage;
}

/** Opens a finding for each of these objects, as reading it would. */
export async function openRestoredFindings(
  tx: TransactionSql,
  damage: readonly RestoredDamage[],
  now: Date,
): Promise<void> {
  const at = now.toISOString();
  for (const some of statementChunks([...damage]))
    await tx`insert into integrity_findings
      (id, object_id, kind, key, size_bytes, study_id, lab_exam_id, found, found_at, checked_at)
      select gen_random_uuid(), id, kind, key, size_bytes, study_id, lab_exam_id, found, ${at}::timestamptz, ${at}::timestamptz
      from unnest(${some.map(({ key }) => key)}::text[], ${some.map(({ found }) => found)}::text[]) as damage (key, found)
      join (
        select id, kind::text, key, size_bytes, study_id, null::uuid as lab_exam_id from stored_objects
        union all select id, 'lab', key, size_bytes, null, id from lab_exams
      ) as objects using (key)
      on conflict do nothing`;
}

/** Records, after a restore, that every object is in the archive store, no upload is under way, and no series has a copy. */
export async function settleRestoredObjects(tx: TransactionSql, now: Date): Promise<void> {
  await tx`update stored_objects set location = 'archive', staged_on = null
    where location <> 'archive' or staged_on is not null`;
  await tx`update uploads set state = 'failed', finished_at = ${now.toISOString()}, bytes_removed_at = ${now.toISOString()}
    where state = 'receiving'`;
  // No backup has their bytes.
  await tx`delete from derivatives`;
}
