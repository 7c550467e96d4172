import { expect, test } from "bun:test";
import { runConcurrently } from "../../../src/server/db/run-concurrently.ts";

test("concurrent work fails only after all of it has ended", async () => {
  const slow = Promise.withResolvers<number>();
  let hasFailed = false;
  const all = runConcurrently(slow.promise, Promise.reject(new Error("one failed"))).catch((error: Error) => {
    hasFailed = true;
    return error.message;
  });
  await Bun.sleep(0);
  expect(hasFailed).toBe(false);
  slow.resolve(1);
  expect(await all).toBe("one failed");
  expect(await runConcurrently(Promise.resolve(1), Promise.resolve("two"))).toEqual([1, "two"]);
});

test("a statement that begins when it is awaited runs once", async () => {
  let runs = 0;
  // As drizzle's builders are.
  class Statement extends Promise<number> {
    // biome-ignore lint/suspicious/noThenProperty: it begins to run here
    override then: Promise<number>["then"] = (onFulfilled, onRejected) =>
      Promise.resolve(++runs).then(onFulfilled, onRejected);
  }
  expect(await runConcurrently(new Statement(() => {}))).toEqual([1]);
  expect(runs).toBe(1);
});
