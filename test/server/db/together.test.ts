import { expect, test } from "bun:test";
import { together } from "../../../src/server/db/together.ts";

test("work that is sent together fails only when all of it has ended", async () => {
  const slow = Promise.withResolvers<number>();
  let hasFailed = false;
  const all = together(slow.promise, Promise.reject(new Error("one failed"))).catch((error: Error) => {
    hasFailed = true;
    return error.message;
  });
  await Bun.sleep(0);
  expect(hasFailed).toBe(false);
  slow.resolve(1);
  expect(await all).toBe("one failed");
  expect(await together(Promise.resolve(1), Promise.resolve("two"))).toEqual([1, "two"]);
});
