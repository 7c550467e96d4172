import { expect, test } from "bun:test";
import { loadOnce } from "../../../src/server/runtime/load-once.ts";

test("what is loaded at its first use is loaded once, and again after a load that failed", async () => {
  let loads = 0;
  const failure = new Error("too many open files");
  const get = loadOnce(async () => {
    loads++;
    await Bun.sleep(0);
    if (loads === 1) throw failure;
    return { load: loads };
  });
  expect(await Promise.allSettled([get(), get()])).toEqual([
    { status: "rejected", reason: failure },
    { status: "rejected", reason: failure },
  ]);
  const [one, other] = await Promise.all([get(), get()]);
  expect(one).toEqual({ load: 2 });
  expect(other).toBe(one);
});
