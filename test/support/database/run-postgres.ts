import { startEmbeddedPostgres } from "../../../src/server/db/embedded/embedded-postgres.ts";
import { openPostgres } from "../../../src/server/db/postgres.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";

/**
 * A small application over an embedded PostgreSQL, for tests to start and kill: prints the address once a row is
 * committed, and at SIGINT commits another one before it stops.
 */
const [dataDir] = process.argv.slice(2);
if (!dataDir) throw new Error("usage: run-postgres.ts DATA_DIR");
const postgres = await startEmbeddedPostgres({ dataDir, log: createLogger({ level: "error" }) });
const sql = openPostgres(postgres.url, { max: 1 });
await sql`create table if not exists acknowledged (id serial primary key, note text)`;
await sql`insert into acknowledged (note) values ('started')`;
process.on("SIGINT", async () => {
  await Bun.sleep(100);
  await sql`insert into acknowledged (note) values ('stopped')`;
  await sql.end();
  await postgres.stop();
});
console.log(postgres.url);
