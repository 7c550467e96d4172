import { expect, test } from "bun:test";
import { createSharedCheck } from "../../../src/server/http/shared-check.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { createS3Store } from "../../../src/server/storage/s3/s3-store.ts";
import { createTestApp } from "../../support/app/test-app.ts";
import { startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";

/** How long the outcome of a check serves all who ask. */
const FRESH_MS = 2_000;

const health = async (t: Awaited<ReturnType<typeof createTestApp>>) => {
  const answer = await t.call("GET", "/api/health");
  return { status: answer.status, body: await answer.json() };
};

/** Asks until it answers `status`, and counts how often it answered something else before. */
async function healthOnceItIs(status: number, t: Awaited<ReturnType<typeof createTestApp>>) {
  for (let others = 0; ; others++) {
    const answer = await health(t);
    if (answer.status === status) return { ...answer, others };
    await Bun.sleep(50);
  }
}

test("concurrent health checks send the store one small request; an outage shows within seconds", async () => {
  await using server = await startFaultyS3Server();
  await using t = await createTestApp({ jobs: false, overrides: { store: createS3Store(server.options) } });
  /** Asks at once, and again if the machine stood still for longer than an answer serves. */
  const askTogether = async (count: number) => {
    for (;;) {
      await Bun.sleep(FRESH_MS + 100);
      server.seen.length = 0;
      const begunAt = performance.now();
      const answers = await Promise.all(Array.from({ length: count }, () => health(t)));
      const seen = server.seen.map(({ method, key }) => `${method} ${key}`);
      if (performance.now() - begunAt < FRESH_MS) return { answers, seen };
      await healthOnceItIs(200, t);
    }
  };
  const { answers, seen } = await askTogether(200);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(seen).toEqual(["HEAD "]);

  // Refused at once.
  server.fault = () => ({ status: 503, code: "SlowDown" });
  const refused = await healthOnceItIs(503, t);
  expect(refused.body).toEqual({
    status: "unavailable",
    database: true,
    store: false,
    disk: true,
    uploads: true,
  });
  server.fault = () => undefined;
  expect(await healthOnceItIs(200, t)).toMatchObject({ status: 200 });

  // Says nothing at all.
  server.fault = () => "stall";
  const hung = await healthOnceItIs(503, t);
  expect(hung.body).toEqual({
    status: "unavailable",
    database: true,
    store: false,
    disk: true,
    uploads: true,
  });
  // Nobody waited for the store: others were answered while its one request hung.
  expect(hung.others).toBeGreaterThan(1);
  server.fault = () => undefined;
  expect((await healthOnceItIs(200, t)).body).toEqual({
    status: "ok",
    database: true,
    store: true,
    disk: true,
    uploads: true,
  });
}, 240_000);

test("the log says once why a part is down, in the store's own word, and once that it is back", async () => {
  await using server = await startFaultyS3Server();
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({ level: "info", write: (line) => lines.push(JSON.parse(line)) });
  const store = createS3Store(server.options);
  await using t = await createTestApp({ jobs: false, overrides: { store, log } });
  const told = () =>
    lines
      .filter(({ event }) => String(event).startsWith("health."))
      .map(({ event, part, code }) => ({ event, part, code }));
  expect((await healthOnceItIs(200, t)).status).toBe(200);

  server.fault = () => ({ status: 403, code: "RequestTimeTooSkewed" });
  await healthOnceItIs(503, t);
  await Bun.sleep(FRESH_MS + 100); // the next check is a new one
  await health(t);
  expect(told()).toEqual([{ event: "health.part_down", part: "store", code: "RequestTimeTooSkewed" }]);

  server.fault = () => undefined;
  await healthOnceItIs(200, t);
  expect(told()[1]).toEqual({ event: "health.part_up", part: "store", code: undefined });
}, 240_000);

test("checks that hang don't pile up, and a recovery is noticed", async () => {
  const held = [Promise.withResolvers<void>()];
  let begun = 0;
  const check = createSharedCheck(
    () => {
      begun++;
      const one = Promise.withResolvers<void>();
      held.push(one);
      return one.promise;
    },
    { freshMs: 0, patienceMs: 1, timeoutMs: 5 },
  );
  for (let asked = 0; asked < 100; asked++) await check();
  expect(begun).toBeLessThanOrEqual(4);
  expect(await check()).toBe(false);
  for (const one of held) one.resolve();
  let isGood = false;
  while (!isGood) {
    const asking = check();
    for (const one of held) one.resolve();
    isGood = await asking;
  }
  expect(isGood).toBe(true);
});

test("the first check is waited for, so a server that starts on a busy machine is not reported as down", async () => {
  const slow = Promise.withResolvers<void>();
  const check = createSharedCheck(() => slow.promise, { patienceMs: 0, timeoutMs: 60_000 });
  const answers = [check(), check()];
  await Bun.sleep(1);
  slow.resolve();
  expect(await Promise.all(answers)).toEqual([true, true]);
});
