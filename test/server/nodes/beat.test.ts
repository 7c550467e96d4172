import { expect, test } from "bun:test";
import { beat, startBeating } from "../../../src/server/nodes/beat.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { createTestApp } from "../../support/app/test-app.ts";
import { until } from "../../support/until.ts";

test("a serving node records its beat in the database, by the database's clock, and stays steady while it does", async () => {
  await using t = await createTestApp();
  t.advance(7 * 24 * 3600_000);
  const read = async () => {
    const [row] =
      await t.sql`select *, last_beat_at > now() - interval '1 minute' and last_beat_at <= now() as "isFresh",
      steady_since = started_at as "isSteady" from nodes`;
    return row;
  };
  expect(await read()).toMatchObject({
    id: t.deps.node.id,
    boot_id: t.deps.node.bootId,
    swept_at: null,
    isFresh: true,
    isSteady: true,
  });
  const steadySince = await beat(t.deps);
  expect(await read()).toMatchObject({ isFresh: true, isSteady: true });

  await t.sql`update nodes set last_beat_at = now() - interval '11 minutes', swept_at = now()`;
  const revivedAt = await beat(t.deps);
  expect(revivedAt.getTime()).toBeGreaterThan(steadySince.getTime());
  expect(await read()).toMatchObject({ swept_at: null, isFresh: true, isSteady: false });
  expect(await beat(t.deps)).toEqual(revivedAt);
});

test("a node that was taken for dead takes its work up again, even if that fails at first, or the answer to its beat is lost", async () => {
  await using t = await createTestApp({ jobs: false });
  let before = async () => {};
  const databaseClock = Object.assign(Object.create(t.deps.databaseClock), { follow: () => before() });
  const outcomes: string[] = [];
  let revive = async () => {};
  const deps = { ...t.deps, databaseClock, log: createLogger({ level: "error", write: () => {} }) };
  const onRevival = async () => {
    outcomes.push("begun");
    await revive();
    outcomes.push("done");
  };
  await using _ = await startBeating(deps, onRevival, { everyMs: 5 });
  const sweep = () => t.sql`update nodes set last_beat_at = now() - interval '11 minutes', swept_at = now()`;

  revive = async () => {
    revive = async () => {};
    throw new Error("the database went away again");
  };
  await sweep();
  await until(() => outcomes.includes("done"));
  expect(outcomes).toEqual(["begun", "begun", "done"]);

  before = async () => {
    before = async () => {};
    await sweep();
    await beat(t.deps);
    throw new Error("the answer is lost");
  };
  await until(() => outcomes.length > 3);
  expect(outcomes.slice(3)).toEqual(["begun", "done"]);
});

test("a node that missed a beat and was not taken for dead takes nothing up again", async () => {
  await using t = await createTestApp({ jobs: false });
  let before = async () => {};
  const databaseClock = Object.assign(Object.create(t.deps.databaseClock), { follow: () => before() });
  const deps = { ...t.deps, databaseClock, log: createLogger({ level: "error", write: () => {} }) };
  let revivals = 0;
  const onRevival = async () => void revivals++;
  await using _ = await startBeating(deps, onRevival, { everyMs: 5 });
  let beats = 0;
  before = async () => {
    if (++beats === 2) throw new Error("the database is slow");
  };
  await until(() => beats > 4);
  expect(revivals).toBe(0);
});
