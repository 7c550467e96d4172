import { expect, test } from "bun:test";
import { inTurns } from "../../../src/client/runtime/in-turns.ts";

const { signal } = new AbortController();

test("no more than its share of the work runs beside each other, in the order in which it was asked for", async () => {
  const inTurn = inTurns(2);
  const begun: number[] = [];
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const all = ends.map(({ promise }, n) =>
    inTurn(() => {
      begun.push(n);
      return promise.then(() => n);
    }, signal),
  );
  expect(begun).toEqual([0, 1]);
  ends[1]?.resolve();
  await all[1];
  await Bun.sleep(0);
  expect(begun).toEqual([0, 1, 2]);
  for (const { resolve } of ends) resolve();
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3, 4]);
});

test("work that fails or is not wanted any more leaves its turn to others", async () => {
  const inTurn = inTurns(1);
  const left = new AbortController();
  const failing = inTurn(() => Promise.reject(new TypeError("failed")), signal);
  const unwanted = inTurn(() => Promise.resolve("unwanted"), left.signal);
  const wanted = inTurn(() => Promise.resolve("wanted"), signal);
  const outcomes = Promise.allSettled([failing, unwanted, wanted]);
  left.abort("left");
  expect(await outcomes).toEqual([
    { status: "rejected", reason: new TypeError("failed") },
    { status: "rejected", reason: "left" },
    { status: "fulfilled", value: "wanted" },
  ]);
  expect(await inTurn(() => Promise.resolve("later"), signal)).toBe("later");
});
