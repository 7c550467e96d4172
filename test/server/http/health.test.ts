import { expect, test } from "bun:test";
import { createSharedCheck } from "../../../src/server/http/shared-check.ts";
import { createS3Store } from "../../../src/server/storage/s3/s3-store.ts";
import { startFaultyS3Server } from "../../support/faulty-s3-server.ts";
import { createTestApp } from "../../support/test-app.ts";

const health = async (t: Awaited<ReturnType<typeof createTestApp>>) => {
  const startedAt = performance.now();
  const answer = await t.call("GET", "/api/health");
  return { status: answer.status, body: await answer.json(), tookMs: performance.now() - startedAt };
};

/** Asks until it answers `status`. */
async function within(milliseconds: number, t: Awaited<ReturnType<typeof createTestApp>>, status: number) {
  const deadline = performance.now() + milliseconds;
  let slowestMs = 0;
  for (;;) {
    const answer = await health(t);
    slowestMs = Math.max(slowestMs, answer.tookMs);
    if (answer.status === status || performance.now() > deadline) return { ...answer, slowestMs };
    await Bun.sleep(50);
  }
}

test("concurrent health checks send the store one small request; an outage shows within seconds", async () => {
  await using server = await startFaultyS3Server();
  await using t = await createTestApp({ jobs: false, overrides: { store: createS3Store(server.options) } });
  const answers = await Promise.all(Array.from({ length: 200 }, () => health(t)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(server.seen.map(({ method, key }) => `${method} ${key}`)).toEqual(["HEAD "]);

  // Refused at once.
  server.fault = () => ({ status: 503, code: "SlowDown" });
  const refused = await within(3_000, t, 503);
  expect(refused.body).toEqual({
    status: "unavailable",
    database: true,
    store: false,
    disk: true,
    uploads: true,
  });
  server.fault = () => undefined;
  expect(await within(3_000, t, 200)).toMatchObject({ status: 200 });

  // Says nothing at all.
  server.fault = () => "stall";
  const hung = await within(7_000, t, 503);
  expect(hung.body).toEqual({
    status: "unavailable",
    database: true,
    store: false,
    disk: true,
    uploads: true,
  });
  expect(Math.max(refused.slowestMs, hung.slowestMs)).toBeLessThan(500);
  server.fault = () => undefined;
  expect((await within(7_000, t, 200)).body).toEqual({
    status: "ok",
    database: true,
    store: true,
    disk: true,
    uploads: true,
  });
}, 30_000);

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
  const deadline = performance.now() + 2_000;
  let isGood = false;
  while (!isGood && performance.now() < deadline) {
    const asking = check();
    for (const one of held) one.resolve();
    isGood = await asking;
  }
  expect(isGood).toBe(true);
});
