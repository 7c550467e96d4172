import { expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { isDatabaseUnavailable } from "../../../src/server/db/database.errors.ts";
import { startEmbeddedPostgres } from "../../../src/server/db/embedded/embedded-postgres.ts";
import { openPostgres } from "../../../src/server/db/postgres.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { until } from "../../support/until.ts";

/** `patches/` changes the driver so that it holds: PostgreSQL answers such a change with a warning, as if it were done. */
test("a change that waits for a synchronous standby, and is told to wait no more, is not taken for done", async () => {
  await using folder = createTempFolder();
  await chmod(folder.path, 0o755); // PostgreSQL runs as an account of its own
  const log = createLogger({ level: "error" });
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder.path, "data"), log });
  const sql = openPostgres(postgres.url, { max: 1 });
  const operator = openPostgres(postgres.url, { max: 1 });
  try {
    await operator`create table kept (id int)`;
    await operator`alter system set synchronous_standby_names = 'gone'`;
    await operator`select pg_reload_conf()`;
    await until(
      async () => (await sql`show synchronous_standby_names`)[0]?.synchronous_standby_names === "gone",
    );
    const changes = [
      () => sql`insert into kept values (${1})`,
      () => sql.begin((tx) => tx`insert into kept values (2)`),
      () => sql.unsafe("begin; insert into kept values (3); commit"),
    ];
    const cancelWaiting = async () =>
      (await operator`select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`)
        .length > 0;
    // The session knows of the standby a moment before the checkpointer lets sessions wait for it.
    await until(async () => {
      let isDone = false;
      const change = sql`insert into kept values (0)`.then(
        () => (isDone = true),
        () => {},
      );
      await until(async () => isDone || (await cancelWaiting()));
      await change;
      return !isDone;
    });
    for (const change of changes) {
      const outcome = change().then(
        () => "done",
        (error: unknown) => isDatabaseUnavailable(error),
      );
      await until(cancelWaiting);
      expect(await outcome).toBe(true);
      expect([...(await sql`select 'next' as answer`)]).toEqual([{ answer: "next" }]);
    }
  } finally {
    await sql.end({ timeout: 1 });
    await operator.end({ timeout: 1 });
    await postgres.stop();
  }
}, 240_000);
