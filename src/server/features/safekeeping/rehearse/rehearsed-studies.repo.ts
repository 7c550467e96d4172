import type { Sql } from "../../../db/postgres.ts";
import { KEPT } from "../../../holdings/kept.repo.ts";

/** A study of a restored installation, and the hash that its bytes must have. */
export interface RehearsedStudy {
  id: string;
  studyInstanceUID: string;
  /** SHA-256 of its only volume, which equals the download; `null` if several volumes are joined. */
  downloadSha256: string | null;
}

const ROWS_AT_ONCE = 500;

/** Every study that a user sees, by id; without those in removal. */
export async function* listRehearsedStudies(sql: Sql): AsyncGenerator<RehearsedStudy> {
  let after = "00000000-0000-0000-0000-000000000000";
  for (;;) {
    const rows = await sql<RehearsedStudy[]>`
      select studies.id, study_instance_uid as "studyInstanceUID",
        case when count(*) filter (where kind = 'volume') = 1
          then min(sha256) filter (where kind = 'volume') end as "downloadSha256"
      from studies left join stored_objects on study_id = studies.id
      where ${sql.unsafe(KEPT)} and studies.id > ${after}
      group by studies.id order by studies.id limit ${ROWS_AT_ONCE}`;
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
  }
}
