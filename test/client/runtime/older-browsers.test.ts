import { afterAll, describe, expect, test } from "bun:test";

const { withResolvers } = Promise;
const { any } = AbortSignal;
Reflect.deleteProperty(Promise, "withResolvers");
Reflect.deleteProperty(AbortSignal, "any");
await import("../../../src/client/runtime/older-browsers.ts");
afterAll(() => {
  Object.assign(Promise, { withResolvers });
  Object.assign(AbortSignal, { any });
});

describe("a browser older than Safari 17.4", () => {
  test("has promises that are settled from outside", async () => {
    const kept = Promise.withResolvers<number>();
    kept.resolve(3);
    expect(await kept.promise).toBe(3);
    const lost = Promise.withResolvers<number>();
    lost.reject(new RangeError("lost"));
    expect(await lost.promise.catch(String)).toBe("RangeError: lost");
  });

  test("has signals that the first of several aborts, with its reason", () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const either = AbortSignal.any([one.signal, other.signal]);
    expect(either.aborted).toBe(false);
    other.abort("left");
    one.abort("late");
    expect([either.aborted, either.reason]).toEqual([true, "left"]);
  });

  test("has a signal that is aborted from its beginning where one of several is", () => {
    const either = AbortSignal.any([new AbortController().signal, AbortSignal.abort("gone")]);
    expect([either.aborted, either.reason]).toEqual([true, "gone"]);
  });
});
