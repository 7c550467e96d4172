import { expect, test } from "bun:test";
import type { SQL } from "drizzle-orm";
import { DatabaseUnavailable } from "../../../src/server/db/database.errors.ts";
import { watchJumps } from "../../../src/server/nodes/watch-jumps.ts";
import { DAY_MS } from "../../../src/shared/units.ts";
import { createTestApp } from "../../support/app/test-app.ts";
import { until } from "../../support/until.ts";

test("a node whose clock jumps goes by the database's time within moments, also once it jumps back", async () => {
  await using t = await createTestApp({ jobs: false });
  const { deps } = t;
  let jumpedMs = 0;
  const system = { now: () => new Date(Date.now() + jumpedMs) };
  await using _ = watchJumps(deps, { everyMs: 5, system });
  const isRight = () => Math.abs(deps.clock.now().getTime() - Date.now()) < 60_000;
  for (const byMs of [3 * DAY_MS, -5 * DAY_MS, 2 * DAY_MS]) {
    jumpedMs += byMs;
    t.advance(byMs);
    expect(isRight()).toBe(false);
    await until(isRight);
  }
});

test("a node whose clock jumps while the database is away goes by the database's time once that answers", async () => {
  await using t = await createTestApp({ jobs: false });
  const { databaseClock, log } = t.deps;
  let [jumpedMs, asked] = [0, 0];
  const system = { now: () => new Date(Date.now() + jumpedMs) };
  const db = Object.create(t.deps.db, {
    execute: {
      value: (statement: SQL) => {
        if (++asked <= 3) throw new DatabaseUnavailable("away");
        return t.deps.db.execute(statement);
      },
    },
  });
  await using _ = watchJumps({ db, log, databaseClock }, { everyMs: 5, system });
  jumpedMs = 3 * DAY_MS;
  t.advance(jumpedMs);
  await until(() => Math.abs(databaseClock.now().getTime() - Date.now()) < 60_000, 10_000);
  expect(asked).toBe(4);
});
