import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DataDirInUse } from "../../../src/server/db/embedded/embedded.errors.ts";
import { attachOrStart } from "../../../src/server/db/embedded/embedded-postgres.ts";
import { keepPostgresRunning } from "../../../src/server/db/embedded/keep-running.ts";
import { findPostmaster } from "../../../src/server/db/embedded/postmaster.ts";
import { openPostgres, type Sql } from "../../../src/server/db/postgres.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { spaceOf } from "../../../src/server/storage/disk/disk-space.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { until } from "../../support/until.ts";

setDefaultTimeout(240_000);

/** Begins again late enough for another process to be there first. */
const LATE = { firstMs: 5_000, longestMs: 5_000 };

const log = createLogger({ level: "error", write: () => {} });
const folder = createTempFolder();
// Root's PostgreSQL runs as another account, which has to pass through.
chmodSync(folder.path, 0o711);
afterAll(() => folder[Symbol.asyncDispose]());

const postmasterOf = (dataDir: string) => findPostmaster(join(dataDir, "postgres/data"));

async function killPostgres(dataDir: string): Promise<void> {
  process.kill((await postmasterOf(dataDir))?.pid ?? 0, "SIGKILL");
  await until(async () => !(await postmasterOf(dataDir)));
}

/** Asks until there is an answer, as the server's pool does. */
async function onceAnswered(sql: Sql, text: string): Promise<Record<string, unknown>[]> {
  let rows: Record<string, unknown>[] | undefined;
  await until(async () => {
    rows = await sql.unsafe(text).catch(() => undefined);
    return rows !== undefined;
  });
  return [...(rows ?? [])];
}

for (const [where, name] of [
  ["", "data"],
  [" that names its socket elsewhere", "long".repeat(25)],
] as const) {
  test(`a database that is killed is there again at its address, with all it had${where}`, async () => {
    const dataDir = join(folder.path, name);
    await mkdir(dataDir);
    const postgres = await keepPostgresRunning({ dataDir, log });
    const sql = openPostgres(postgres.url, { max: 1 });
    try {
      await sql`create table kept (note text)`;
      for (const note of ["first", "second"]) {
        await sql`insert into kept values (${note})`;
        await killPostgres(dataDir);
        expect((await onceAnswered(sql, "select note from kept")).at(-1)).toEqual({ note });
      }
    } finally {
      await sql.end();
      await postgres.stop();
    }
    expect(await postmasterOf(dataDir)).toBeUndefined();
  });
}

test("a database whose disk is away for a while is awaited, and no empty one takes its place", async () => {
  const dataDir = join(folder.path, "away");
  await mkdir(dataDir);
  let hasFailed = false;
  const telling = createLogger({
    level: "error",
    write: (line) => {
      hasFailed ||= line.includes("postgres.not_started");
    },
  });
  const postgres = await keepPostgresRunning({ dataDir, log: telling });
  const sql = openPostgres(postgres.url, { max: 1 });
  try {
    await sql`create table kept (note text)`;
    await sql`insert into kept values ('acknowledged')`;
    const postmaster = await postmasterOf(dataDir);
    await rename(dataDir, `${dataDir}.unmounted`);
    process.kill(postmaster?.pid ?? 0, "SIGKILL");
    const isLaidAnew = async () => (await readdir(folder.path)).includes("away");
    await until(async () => hasFailed || (await isLaidAnew()));
    expect(await isLaidAnew()).toBe(false);
    await rename(`${dataDir}.unmounted`, dataDir);
    expect(await onceAnswered(sql, "select note from kept")).toEqual([{ note: "acknowledged" }]);
  } finally {
    await sql.end();
    await postgres.stop();
  }
});

for (const [where, name] of [
  ["", "kept"],
  [", however long its path", "kept".repeat(30)],
] as const) {
  test(`a database that is started again is nobody else's meanwhile${where}`, async () => {
    const dataDir = join(folder.path, name);
    await mkdir(dataDir);
    const postgres = await keepPostgresRunning({ dataDir, log }, LATE);
    const sql = openPostgres(postgres.url, { max: 1 });
    try {
      await killPostgres(dataDir);
      const second = keepPostgresRunning({ dataDir, log, predecessorTimeoutMs: 100 });
      await expect(second).rejects.toBeInstanceOf(DataDirInUse);
      // A command waits, and uses it.
      const command = await attachOrStart({ dataDir, log });
      expect([command.url, command.attached]).toEqual([postgres.url, true]);
      expect(await onceAnswered(sql, "select 1 as one")).toEqual([{ one: 1 }]);
    } finally {
      await sql.end();
      await postgres.stop();
    }
    const next = await attachOrStart({ dataDir, log, predecessorTimeoutMs: 0 });
    expect(next.attached).toBe(false);
    await next.stop();
  });
}

test("a database that another process has taken meanwhile is left to it", async () => {
  const dataDir = join(folder.path, "taken");
  await mkdir(dataDir);
  const postgres = await keepPostgresRunning({ dataDir, log, predecessorTimeoutMs: 0 }, LATE);
  // Older versions don't look for it.
  await rm(join(dataDir, "postgres/keeper"));
  await killPostgres(dataDir);
  const other = await attachOrStart({ dataDir, log });
  try {
    await postgres.taken;
    await postgres.stop();
    expect(await postmasterOf(dataDir)).toBeDefined();
  } finally {
    await other.stop();
  }
});

const isPrivileged = process.getuid?.() === 0;

test.if(isPrivileged)(
  "a database that ended because its disk was full goes on once it has room",
  async () => {
    const dataDir = join(folder.path, "small");
    await mkdir(dataDir);
    const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=192m,mode=755", "none", dataDir]);
    if (mounted.exitCode !== 0) return;
    const filler = join(dataDir, "filler");
    const fill = async () => writeFile(filler, new Uint8Array((await spaceOf(dataDir)).freeBytes));
    try {
      const postgres = await keepPostgresRunning({ dataDir, log });
      const sql = openPostgres(postgres.url, { max: 1 });
      try {
        await sql`create table kept (note text)`;
        await sql`insert into kept values ('acknowledged')`;
        await fill();
        // Each segment of the log of changes is a file that needs room.
        await until(async () => {
          await sql`select pg_logical_emit_message(true, 'x', repeat('x', 1000000)), pg_switch_wal()`.catch(
            () => {},
          );
          return !(await postmasterOf(dataDir));
        });
        await rm(filler);
        expect(await onceAnswered(sql, "select note from kept")).toEqual([{ note: "acknowledged" }]);
        await sql`insert into kept values ('after it')`;
        await fill();
        await killPostgres(dataDir);
        await rm(filler);
      } finally {
        await sql.end();
        await postgres.stop();
      }
      expect(await postmasterOf(dataDir)).toBeUndefined();
    } finally {
      Bun.spawnSync(["umount", "-l", dataDir]);
    }
  },
);
