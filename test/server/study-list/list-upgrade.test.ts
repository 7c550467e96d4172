import { expect, test } from "bun:test";
import { migrate } from "../../../src/server/db/migrate.ts";
import { createTestDatabase } from "../../support/database/database.ts";

test("an archive from before the tallies is counted correctly, extremely long names and modalities included", async () => {
  const { migrations } = await import("../../../src/server/db/migrations.ts");
  const tallies = migrations.findIndex(({ sql }) =>
    sql.some((text) => /create table "study_tallies"/i.test(text)),
  );
  const database = await createTestDatabase({ migrations: migrations.slice(0, tallies) });
  try {
    const { sql } = database;
    await sql`insert into users (id, name, email, role, created_at)
      select gen_random_uuid(), 'n' || n, 'e' || n, 'user', now() from generate_series(1, 3) n`;
    await sql`insert into studies (id, account_id, study_instance_uid, patient_name_folded, modality,
        series_count, instance_count, size_bytes, storage_status, created_at)
      select gen_random_uuid(), users.id, '1.2.' || n,
        case when n % 9 = 0 then (select string_agg(md5(n::text || i), '') from generate_series(1, 200) i) else 'ana' end,
        case n % 4 when 0 then null when 1 then 'CT' when 2 then 'CT\\SR'
          else (select string_agg(md5(n::text || i), '\\') from generate_series(1, 200) i) end,
        1, 1, 1, 'b2', now()
      from users, generate_series(1, 40) n`;
    await migrate(database.url, migrations);
    const counts = (
      await sql<{ kind: string; studies: number }[]>`
      select left(modality, 5) as kind, sum(studies)::int as studies from study_tallies group by 1 order by 2 desc, 1`
    ).slice(0, 3);
    expect([...counts]).toEqual([
      { kind: "", studies: 30 },
      { kind: "CT", studies: 30 },
      { kind: "CT\\SR", studies: 30 },
    ]);
    const [longest] =
      await sql`select max(length(patient_name_folded)) as name, max(length(modality)) as modality,
      count(*)::int as studies from studies`;
    expect(longest).toEqual({ name: 512, modality: 512, studies: 120 });
  } finally {
    await database.drop();
  }
});
