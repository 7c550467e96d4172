import { afterAll, expect, test } from "bun:test";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { connectDatabase, ping } from "../../../src/server/db/client.ts";
import { isDatabaseUnavailable } from "../../../src/server/db/database.errors.ts";
import { startEmbeddedPostgres } from "../../../src/server/db/embedded/embedded-postgres.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { spaceOf } from "../../../src/server/storage/disk/disk-space.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

const folder = createTempFolder();
/** A small disk of its own, which only a privileged test can make. */
const hasDisk =
  process.getuid?.() === 0 &&
  Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=256m,mode=755", "none", folder.path]).exitCode === 0;
afterAll(async () => {
  if (hasDisk) Bun.spawnSync(["umount", "-l", folder.path]);
  await folder[Symbol.asyncDispose]();
});

const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

test.skipIf(!hasDisk)(
  "a database whose disk is full is not taken for well while it takes no changes, and is again once it has room",
  async () => {
    const log = createLogger({ level: "error", write: () => {} });
    const postgres = await startEmbeddedPostgres({ dataDir: folder.path, log });
    const pool = connectDatabase({ url: postgres.url, maxConnections: 2 });
    try {
      await pool.db.execute(sql`create table grown (line text)`);
      await ping(pool.db);
      const filler = join(folder.path, "filler");
      const { freeBytes } = await spaceOf(folder.path);
      await writeFile(filler, new Uint8Array(freeBytes));
      const grow = () =>
        pool.db.execute(sql`insert into grown select repeat('x', 2000) from generate_series(1, 50)`);
      expect(isDatabaseUnavailable(await failure(grow()))).toBe(true);
      for (let times = 0; times < 2; times++)
        expect(isDatabaseUnavailable(await failure(ping(pool.db)))).toBe(true);
      // Reading goes on.
      expect(await pool.db.execute(sql`select count(*)::int as lines from grown`)).toMatchObject([
        { lines: 0 },
      ]);
      await rm(filler);
      await ping(pool.db);
      await grow();
    } finally {
      await pool.close();
      await postgres.stop();
    }
  },
  180_000,
);
