import { expect, test } from "bun:test";
import { leased, leasesEnded } from "../../../src/server/db/leased-statement.ts";

/** A leased statement whose answers are counted, and the clocks it reads. */
function createAsked(isHeld = (_answer: number) => true) {
  const clocks = { nowMs: 0, wallMs: 1_000 };
  let sent = 0;
  const ask = leased(async (_client: object, _values: { id: string }) => ++sent, isHeld, {
    now: () => clocks.nowMs,
    wall: () => clocks.wallMs,
  });
  return { clocks, ask };
}

function pass(clocks: { nowMs: number; wallMs: number }, ms: number): void {
  clocks.nowMs += ms;
  clocks.wallMs += ms;
}

test("an answer holds for 10 ms, counted from before its statement was sent", async () => {
  const clocks = { nowMs: 0, wallMs: 1_000 };
  const answers: PromiseWithResolvers<string>[] = [];
  const ask = leased(
    () => {
      const answer = Promise.withResolvers<string>();
      answers.push(answer);
      return answer.promise;
    },
    () => true,
    { now: () => clocks.nowMs, wall: () => clocks.wallMs },
  );
  const client = {};
  const first = ask(client, {});
  pass(clocks, 4);
  answers[0]?.resolve("open");
  expect(await first).toBe("open");
  pass(clocks, 5);
  expect(await ask(client, {})).toBe("open");
  pass(clocks, 1);
  const second = ask(client, {});
  answers[1]?.resolve("ended");
  expect(await second).toBe("ended");
});

test("an answer ends by whichever clock says so, also if the wall clock was set back", async () => {
  const { clocks, ask } = createAsked();
  const client = {};
  expect(await ask(client, { id: "1" })).toBe(1);
  clocks.wallMs += 60_000;
  expect(await ask(client, { id: "1" })).toBe(2);
  clocks.wallMs -= 60_000;
  expect(await ask(client, { id: "1" })).toBe(3);
  clocks.nowMs += 10;
  expect(await ask(client, { id: "1" })).toBe(4);
  expect(await ask(client, { id: "1" })).toBe(4);
});

test("an answer that is not to be held, and a failure, are asked for again", async () => {
  const { ask } = createAsked((answer) => answer > 1);
  const client = {};
  expect([await ask(client, { id: "1" }), await ask(client, { id: "1" })]).toEqual([1, 2]);
  expect(await ask(client, { id: "1" })).toBe(2);

  let tries = 0;
  const failing = leased(
    async () => {
      if (++tries === 1) throw new Error("lost");
      return tries;
    },
    () => true,
  );
  await expect(failing(client, {})).rejects.toThrow("lost");
  expect(await failing(client, {})).toBe(2);
});

test("other values and other clients have answers of their own, and the oldest of 257 is dropped", async () => {
  const { ask } = createAsked();
  const client = {};
  expect([
    await ask(client, { id: "1" }),
    await ask(client, { id: "2" }),
    await ask({}, { id: "1" }),
  ]).toEqual([1, 2, 3]);
  for (let id = 3; id <= 256; id++) await ask(client, { id: String(id) });
  const newest = await ask(client, { id: "256" });
  expect(await ask(client, { id: "1" })).toBe(1);
  expect(await ask(client, { id: "257" })).toBe(newest + 1);
  expect(await ask(client, { id: "1" })).toBe(newest + 2);
});

test("no answer from before is held once the leases ended", async () => {
  let sent = 0;
  const ask = leased(
    async () => ++sent,
    () => true,
  );
  const client = {};
  await ask(client, {});
  await leasesEnded();
  expect(await ask(client, {})).toBe(2);
});
