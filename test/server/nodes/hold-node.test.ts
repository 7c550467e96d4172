import { expect, test } from "bun:test";
import { readConfig } from "../../../src/server/config.ts";
import { lockSession } from "../../../src/server/db/locked-session.ts";
import { keepNode, NodeIsTaken } from "../../../src/server/nodes/hold-node.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { createDeps } from "../../../src/server/start-deps.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { until } from "../../support/until.ts";

const NODE = "01980000-0000-7000-8000-000000000001";
const OTHER = "01980000-0000-7000-8000-000000000002";
const holding = { patienceMs: 1_500, checkMs: 50 };

/** A database, and a way to hold a node on it as processes do. */
async function openDatabase() {
  const database = await createTestDatabase();
  const lines: string[] = [];
  const log = createLogger({ level: "warn", write: (line) => lines.push(line) });
  return {
    ...{ url: database.url, log },
    events: () => lines.map((line) => JSON.parse(line).event as string),
    keep: (id = NODE) => keepNode(database.url, id, log, holding),
    /** As the database does to a machine that it has lost sight of. */
    cutHolds: () =>
      database.sql`select pg_terminate_backend(pid, 30000) from pg_locks join pg_stat_activity using (pid)
        where locktype = 'advisory' and granted and application_name = 'exameteca-node' and datname = current_database()`,
    /** Waits until a process holds the node, or waits to hold it. */
    async untilLock(state: "granted" | "waiting") {
      await until(async () => {
        const locks = await database.sql`select 1 from pg_locks
          where locktype = 'advisory' and granted = ${state === "granted"}
            and database = (select oid from pg_database where datname = current_database())`;
        return locks.length > 0;
      });
    },
    [Symbol.asyncDispose]: () => database.drop(),
  };
}

/** What became of the node once there was time enough to take it. */
const outcomeOf = (taken: Promise<void>) =>
  Promise.race([taken.then(() => "taken"), Bun.sleep(20 * holding.checkMs).then(() => "held")]);

test("a node is held by one process at a time, and is free once that process lets go of it", async () => {
  await using database = await openDatabase();
  const first = await database.keep();
  expect(await database.keep().catch((error) => error)).toBeInstanceOf(NodeIsTaken);
  await using _ = await database.keep(OTHER);
  const next = database.keep();
  await first[Symbol.asyncDispose]();
  await (await next)[Symbol.asyncDispose]();
  expect(database.events()).toContain("node.waiting");
});

test("a process that the database lost sight of holds its node anew", async () => {
  await using database = await openDatabase();
  await using first = await database.keep();
  await database.cutHolds();
  await database.untilLock("granted");
  expect(await outcomeOf(first.taken)).toBe("held");
  expect(await database.keep().catch((error) => error)).toBeInstanceOf(NodeIsTaken);
});

test("a process is told that another one has taken its node meanwhile", async () => {
  await using database = await openDatabase();
  await using first = await database.keep();
  const second = lockSession(database.url, "second", async (session) => {
    await session`select pg_advisory_lock(hashtextextended(${`node ${NODE}`}, 0))`;
    return true;
  });
  await database.untilLock("waiting"); // so that it is the next to have it
  await database.cutHolds();
  await using _ = await second;
  await first.taken;
  expect(database.events()).toEqual(["node.taken"]);
});

test("a second server on one DATA_DIR and database does not start", async () => {
  await using database = await openDatabase();
  await using folder = createTempFolder();
  const { url: DATABASE_URL, log } = database;
  const config = readConfig({ DATA_DIR: folder.path, DATABASE_URL });
  await using first = await createDeps(config, { log, holding });
  expect(await createDeps(config, { log, holding }).catch((error) => error.message)).toMatch(
    /^Another server with the node-id of this DATA_DIR works on the database/,
  );
  // What works beside a server is no server.
  await using _ = await createDeps({ ...config, dataDir: `${folder.path}/beside` }, { log });
  expect(first.node.id).toBeTruthy();
});
