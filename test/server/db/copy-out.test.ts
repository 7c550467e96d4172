import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { openPostgres } from "../../../src/server/db/postgres.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";

setDefaultTimeout(240_000);

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ migrations: [] });
}, 240_000);
afterAll(() => database.drop());

test("rows of any size are read to their end, and the connection goes on", async () => {
  const sql = openPostgres(database.url, { max: 1 });
  for (let kilobytes = 4; kilobytes <= 1024; kilobytes *= 1.5) {
    const lines = Math.round(kilobytes);
    const copy = `copy (select repeat('-', 1023) from generate_series(1, ${lines})) to stdout`;
    let bytes = 0;
    for await (const chunk of await sql.unsafe(copy).readable()) {
      bytes += (chunk as Uint8Array).length;
      // A slow reader: what arrives meanwhile waits.
      await Bun.sleep(1);
    }
    expect([bytes, await sql`select 1 as one`]).toMatchObject([lines * 1024, [{ one: 1 }]]);
  }
  await sql.end({ timeout: 1 });
});
