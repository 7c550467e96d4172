import { expect, test } from "bun:test";
import { collectWithin } from "../../../src/server/runtime/collect-within.ts";

test("what is found too late does not change the list that was returned", async () => {
  const late = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<boolean>();
  const found = await collectWithin<number>(async (list, isLate) => {
    list.push(1);
    await late.promise;
    list.push(2);
    ended.resolve(isLate());
  }, 5);
  late.resolve();
  expect(await ended.promise).toBe(true);
  expect(found).toEqual([1]);
});

test("all that is found in time is returned", async () => {
  const found = await collectWithin<number>(async (list) => void list.push(1, 2), 1_000);
  expect(found).toEqual([1, 2]);
});
