import { expect, test } from "bun:test";
import { migrate } from "../../../src/server/db/migrate.ts";
import { GIB } from "../../../src/shared/units.ts";
import { createTestDatabase } from "../../support/database/database.ts";

test("an archive from before the byte quota is counted correctly, and its plans get their quotas by name", async () => {
  const { migrations } = await import("../../../src/server/db/migrations.ts");
  const quota = migrations.findIndex(({ sql }) =>
    sql.some((text) => /create table "storage_tallies"/i.test(text)),
  );
  const database = await createTestDatabase({ migrations: migrations.slice(0, quota) });
  try {
    const { sql } = database;
    const [user] = await sql<{ id: string }[]>`insert into users (id, name, email, role, created_at)
      values (gen_random_uuid(), 'n', 'e', 'user', now()) returning id`;
    const [removal] = await sql<{ id: string }[]>`insert into plans
        (id, slug, name, price_cents, exam_limit, download_delete_limit, is_offered)
      values (gen_random_uuid(), 'avaliacao', 'Avaliação', 0, 2, 10, false),
        (gen_random_uuid(), 'essencial', 'Essencial Plus', 2990, 15, 25, true),
        (gen_random_uuid(), 'rede', 'Rede', 999900, 5000, 9000, true) returning id`;
    const removalId = Bun.randomUUIDv7();
    await sql`insert into removals (id, user_id, reason, study_count, lab_exam_count, created_at, purge_after, plan_id)
      values (${removalId}, ${user?.id ?? ""}, 'cancelled', 1, 1, now(), now(), ${removal?.id ?? ""})`;
    await sql`insert into studies (id, account_id, study_instance_uid, series_count, instance_count, size_bytes,
        storage_status, created_at, removal_id)
      select gen_random_uuid(), ${user?.id ?? ""}, '1.2.' || n, 1, 1, 0, 'b2', now(),
        case n when 3 then ${removalId}::uuid end from generate_series(1, 3) n`;
    await sql`insert into stored_objects (id, study_id, upload_id, kind, key, size_bytes, sha256, location, created_at)
      select gen_random_uuid(), id, id, kind::stored_object_kind, id || kind, 1000, '', 'archive', now()
      from studies, unnest(array['volume', 'manifest', 'report']) kind`;
    await sql`insert into lab_exams (id, account_id, name, modality, key, size_bytes, sha256, created_at, removal_id)
      select gen_random_uuid(), ${user?.id ?? ""}, 'h', 'LAB', 'k' || n, 10, '', now(),
        case n when 3 then ${removalId}::uuid end from generate_series(1, 3) n`;
    await migrate(database.url, migrations);
    const tallies = await sql<{ bytes: string }[]>`select bytes from storage_tallies`;
    expect(tallies.map(({ bytes }) => Number(bytes))).toEqual([6020]);
    const plans = await sql<{ name: string; limit: number; bytes: string }[]>`
      select name, exam_limit as limit, storage_bytes as bytes from plans order by exam_limit`;
    expect(plans.map(({ name, limit, bytes }) => [name, limit, Number(bytes) / GIB])).toEqual([
      ["Avaliação", 2, 2],
      ["Essencial Plus", 15, 20],
      ["Rede", 5000, 10_000],
    ]);
    // As release 0.1 does while it runs beside this one.
    await sql`delete from studies where study_instance_uid in ('1.2.1', '1.2.3')`;
    await sql`update studies set removal_id = ${removalId} where study_instance_uid = '1.2.2'`;
    const left = await sql<{ bytes: string }[]>`select sum(bytes) as bytes from storage_tallies`;
    expect(Number(left[0]?.bytes)).toBe(20);
  } finally {
    await database.drop();
  }
});
