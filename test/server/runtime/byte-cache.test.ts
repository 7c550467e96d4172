import { expect, test } from "bun:test";
import { ByteCache } from "../../../src/server/runtime/byte-cache.ts";

const openCache = () => new ByteCache<{ bytes: number }>(100, ({ bytes }) => bytes);

test("the least recently used values are dropped first, by their bytes", () => {
  const cache = openCache();
  for (const key of ["a", "b", "c"]) cache.set(key, { bytes: 30 });
  cache.get("a");
  cache.set("d", { bytes: 60 });
  expect(["a", "b", "c", "d"].filter((key) => cache.get(key))).toEqual(["a", "d"]);
});

test("a value that replaces another counts once", () => {
  const cache = openCache();
  cache.set("a", { bytes: 40 });
  for (let i = 0; i < 10; i++) cache.set("b", { bytes: 60 });
  expect(["a", "b"].filter((key) => cache.get(key))).toEqual(["a", "b"]);
});

test("a value above the bound is given but not kept, and pushes nothing out", async () => {
  const cache = openCache();
  cache.set("a", { bytes: 90 });
  expect(await cache.getOrMake("huge", async () => ({ bytes: 101 }))).toEqual({ bytes: 101 });
  expect([cache.get("huge"), cache.get("a")]).toEqual([undefined, { bytes: 90 }]);
});

test("those who ask at the same time share one making; after a failure the next one tries again", async () => {
  const cache = openCache();
  let made = 0;
  const fail = async () => {
    made++;
    throw new Error("lost");
  };
  const outcomes = await Promise.allSettled([cache.getOrMake("a", fail), cache.getOrMake("a", fail)]);
  expect([made, outcomes.map(({ status }) => status)]).toEqual([1, ["rejected", "rejected"]]);
  const succeed = async () => ({ bytes: ++made });
  const both = await Promise.all([cache.getOrMake("a", succeed), cache.getOrMake("a", succeed)]);
  expect([...both, await cache.getOrMake("a", fail)]).toEqual([{ bytes: 2 }, { bytes: 2 }, { bytes: 2 }]);
});
