import { expect, test } from "bun:test";
import { createJobs } from "../../src/server/jobs/jobs.ts";
import { defineQueue } from "../../src/server/jobs/queue.ts";
import { createLogger } from "../../src/server/runtime/log.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { postZip, spawnServer } from "../support/program/server-process.ts";
import { startFaultyS3Server } from "../support/store/faulty-s3-server.ts";
import { s3Environment } from "../support/store/s3-environment.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { sampleZip } from "../support/zip/sample-zip.ts";

/** As the schedule does every minute. */
const sweep = defineQueue("nodes.sweep", { retryLimit: 1, exclusive: true });

/** Two nodes on one PostgreSQL and one bucket; answers wait for the store, which can be held while copies are read back. */
async function startNodes() {
  await using starting = new AsyncDisposableStack();
  const database = await createTestDatabase();
  starting.defer(() => database.drop());
  const store = starting.use(await startFaultyS3Server());
  const env = {
    ...{ DATABASE_URL: database.url, AUTH_SECRET: "one secret for both, long enough for HS256" },
    ...s3Environment(store.options),
    LOG_LEVEL: "warn",
  };
  const start = async () => starting.use(await spawnServer(starting.use(createTempFolder()).path, env));
  const lost = await start();
  const other = await start();
  const token = await lost.signIn();
  const jobs = await createJobs({ url: database.url, log: createLogger({ level: "error" }) });
  starting.defer(() => jobs.stop(100));
  const goOn = Promise.withResolvers<void>();
  const isReading = Promise.withResolvers<void>();
  store.pause = async ({ method, key }) => {
    if (method !== "GET" || !key) return;
    isReading.resolve();
    await goOn.promise;
  };
  const held = starting.move();
  return {
    ...{ database, store, lost, other, token, goOn },
    isReading: isReading.promise,
    /** Ten minutes later. */
    async sweep() {
      const row = await database.sql`select node_id from uploads where state = 'receiving'`;
      await database.sql`update nodes set steady_since = now() - interval '3 minutes'`;
      await database.sql`update nodes set last_beat_at = now() - interval '11 minutes' where id = ${row[0]?.node_id}`;
      await jobs.enqueue(sweep, {}, { singletonKey: "now" });
      const deadline = performance.now() + 60_000;
      while (store.bucket.objects.size > 0 && performance.now() < deadline) await Bun.sleep(20);
    },
    states: async () => (await database.sql`select state from uploads`).map(({ state }) => String(state)),
    studies: async () => (await database.sql`select id from studies`).length,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

const zip = () => new Blob([Uint8Array.from(sampleZip({ study: "77" }))]);

test.skipIf(process.platform !== "linux")(
  "objects that a node stored before kill -9 are removed, even if its disk is lost",
  async () => {
    await using nodes = await startNodes();
    const sending = postZip(nodes.lost, nodes.token, zip()).catch(() => undefined);
    await nodes.isReading;
    expect(nodes.store.bucket.objects.size).toBeGreaterThan(0);
    await nodes.lost.killApp();
    await sending;
    nodes.goOn.resolve();
    await nodes.sweep();
    expect([...nodes.store.bucket.objects.keys()]).toEqual([]);
    expect(await nodes.states()).toEqual(["failed"]);
    // The living one goes on.
    expect((await postZip(nodes.other, nodes.token, zip())).status).toBe(201);
  },
  240_000,
);

test.skipIf(process.platform !== "linux")(
  "a node that was stopped for ten minutes in the middle of an upload can't finish it, and cleans up after itself",
  async () => {
    await using nodes = await startNodes();
    const sending = postZip(nodes.lost, nodes.token, zip());
    await nodes.isReading;
    process.kill(nodes.lost.pid, "SIGSTOP");
    await nodes.sweep();
    expect([...nodes.store.bucket.objects.keys()]).toEqual([]);
    process.kill(nodes.lost.pid, "SIGCONT");
    nodes.goOn.resolve();
    expect((await sending).status).toBeGreaterThanOrEqual(400);
    expect([...nodes.store.bucket.objects.keys()]).toEqual([]);
    expect(await nodes.states()).toEqual(["failed"]);
    expect(await nodes.studies()).toBe(0);
    // It goes on as if nothing had been.
    expect((await postZip(nodes.lost, nodes.token, zip())).status).toBe(201);
    expect(await nodes.studies()).toBe(1);
  },
  240_000,
);
