import { expect, test } from "bun:test";
import { openImport } from "../../../src/server/features/import/open-import.ts";
import { seekCopies } from "../../../src/server/holdings/checking/note-damage.ts";
import { healQueue, transferQueue } from "../../../src/server/holdings/holding-queues.ts";
import { createTestApp } from "../../support/app/test-app.ts";
import { until } from "../../support/until.ts";

test("an import looks for its own copy of damaged bytes while it runs, and nobody waits for one that has ended", async () => {
  await using t = await createTestApp();
  const id = Bun.randomUUIDv7();
  const deps = { ...t.deps, node: Object.create(t.deps.node, { id: { value: id } }) };
  const seek = () => {
    const finding = { objectId: Bun.randomUUIDv7(), kind: "volume", key: "a/b.zip" } as const;
    return t.deps.db.transaction((tx) => seekCopies(t.deps, tx, finding));
  };
  const waiting = () =>
    t.sql`select state from pgboss.job where name = ${healQueue(id).name} and state in ('created', 'retry')`;
  {
    await using _import = await openImport(deps, t.deps.config.databaseUrl ?? "");
    await seek();
    await until(async () => (await waiting()).length === 0);
    await seek();
  }
  expect([...(await waiting())]).toEqual([]);
  await seek();
  expect([...(await waiting())]).toEqual([]);
}, 240_000);

test("what a killed import was about to move waits for nobody once the next one has ended", async () => {
  await using t = await createTestApp();
  const id = Bun.randomUUIDv7();
  const deps = { ...t.deps, node: Object.create(t.deps.node, { id: { value: id } }) };
  const queue = transferQueue(id);
  await t.deps.jobs.enqueue(queue, { uploadId: Bun.randomUUIDv7() });
  // As it stands until the database misses the heartbeat of the killed process.
  await t.sql`update pgboss.job set state = 'active', started_on = now(), heartbeat_on = now() where name = ${queue.name}`;
  {
    await using _import = await openImport(deps, t.deps.config.databaseUrl ?? "");
  }
  expect([...(await t.sql`select state from pgboss.job where name = ${queue.name}`)]).toEqual([]);
}, 240_000);
