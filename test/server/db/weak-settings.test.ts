import { expect, test } from "bun:test";
import { openPostgres } from "../../../src/server/db/postgres.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { createTestApp } from "../../support/app/test-app.ts";

for (const commit of ["on", "local", "off"]) {
  test(`a start on somebody's PostgreSQL with synchronous_commit=${commit} warns if that may lose what was answered`, async () => {
    let fsync = "";
    const databaseVia = async (url: string) => {
      const sql = openPostgres(url, { max: 1 });
      await sql.unsafe(`alter database ${new URL(url).pathname.slice(1)} set synchronous_commit = ${commit}`);
      fsync = (await sql`show fsync`)[0]?.fsync;
      await sql.end();
      return url;
    };
    const lines: string[] = [];
    const log = createLogger({ level: "warn", write: (line) => lines.push(line) });
    await using _app = await createTestApp({ databaseVia, overrides: { log }, jobs: false });
    const expected = [
      ...(fsync === "off" ? ["fsync=off"] : []),
      ...(commit === "off" ? ["synchronous_commit=off"] : []),
    ];
    const told = lines.map((line) => JSON.parse(line)).filter(({ event }) => event.startsWith("database."));
    expect(told.map(({ event, settings }) => [event, settings])).toEqual(
      expected.length > 0 ? [["database.may_lose_changes", expected]] : [],
    );
  });
}
