import { expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import {
  createSearchTurns,
  DEFAULT_SEARCH_LIMITS,
} from "../../../src/server/features/dicomweb/turns/search-turns.ts";
import { AppError } from "../../../src/server/http/app-error.ts";

/** Searches that read until `finish` is called, and what became of each. */
function crowd() {
  const turns = createSearchTurns();
  const finished = Promise.withResolvers<void>();
  const all: { callerId: string; became: string }[] = [];
  return {
    search(callerId: string, { accountId = callerId, isTrial = false } = {}) {
      const one = { callerId, became: "waiting" };
      all.push(one);
      const done = turns.run({ callerId, accountId, isTrial }, async () => {
        one.became = "reading";
        await finished.promise;
      });
      done.then(
        () => {
          one.became = "answered";
        },
        (error) => {
          one.became = error instanceof AppError ? `${error.kind.status}` : "failed";
        },
      );
    },
    async finish() {
      finished.resolve();
      for (let turn = 0; turn < 500; turn++) await setImmediate();
    },
    became: (who: string) => all.filter(({ callerId }) => callerId === who).map(({ became }) => became),
    all,
  };
}

test("accounts that fill all places for searches keep no other account out", async () => {
  const { search, finish, became, all } = crowd();
  for (const hostile of ["m1", "m2", "m3", "m4"]) for (let i = 0; i < 16; i++) search(hostile);
  await setImmediate();
  for (let i = 0; i < 16; i++) search("ana");
  await setImmediate();
  // Each of five has its part of 64.
  expect(became("ana").filter((now) => now !== "503")).toHaveLength(12);
  expect(all.filter((one) => one.became === "503")).toHaveLength(16);
  for (let i = 0; i < 5; i++) search("m1");
  await setImmediate();
  expect(became("ana").filter((now) => now !== "503")).toHaveLength(12);
  await finish();
  expect(became("ana").filter((now) => now === "answered")).toHaveLength(12);
});

test("visitors of an account keep out neither their host nor each other", async () => {
  const { search, finish, became } = crowd();
  for (const link of ["l1", "l2"]) for (let i = 0; i < 16; i++) search(link, { accountId: "ana" });
  await setImmediate();
  for (let i = 0; i < 16; i++) search("ana");
  search("l3", { accountId: "ana" });
  await setImmediate();
  expect(became("ana")).not.toContain("503");
  expect(became("l3")).not.toContain("503");
  for (const other of ["bia", "caio"]) for (let i = 0; i < 16; i++) search(other);
  await setImmediate();
  expect(became("bia").filter((now) => now !== "503")).toHaveLength(16);
  // The host comes before their visitors.
  expect(became("ana")).not.toContain("503");
  await finish();
  expect(became("ana").every((now) => now === "answered")).toBe(true);
});

test("trial accounts that fill their half of the places with a search each keep no other account out, and take turns as one", async () => {
  const { search, finish, became, all } = crowd();
  for (let i = 0; i < 64; i++) search(`trial ${i}`, { isTrial: true });
  await setImmediate();
  for (let i = 0; i < 16; i++) search("ana");
  search("trial 64", { isTrial: true });
  await setImmediate();
  expect(became("ana")).not.toContain("503");
  expect(all.filter((one) => one.became === "503")).toHaveLength(33);
  // Among themselves they are accounts: each has one, and none gives it away.
  expect(became("trial 64")).toEqual(["503"]);
  await finish();
  expect(became("ana").every((now) => now === "answered")).toBe(true);
});

test("callers who leave while they wait are not counted among those who wait", async () => {
  const turns = createSearchTurns();
  const reading = Promise.withResolvers<void>();
  const leaving = new AbortController();
  const search = (signal?: AbortSignal) =>
    turns
      .run({ callerId: "ana" }, () => reading.promise, signal)
      .then(
        () => "answered",
        (error) => (error instanceof AppError ? `${error.kind.status}` : "failed"),
      );
  const all = [search(), search()];
  const left = Array.from({ length: 14 }, () => search(leaving.signal));
  await setImmediate();
  expect(await search()).toBe("503");
  leaving.abort();
  expect(new Set(await Promise.all(left))).toEqual(new Set(["503"]));
  for (let n = 0; n < 14; n++) all.push(search());
  await setImmediate();
  reading.resolve();
  expect(new Set(await Promise.all(all))).toEqual(new Set(["answered"]));
});

test("large answers of trial accounts leave half of the places to others", () => {
  const turns = createSearchTurns();
  const hold = (callerId: string, isTrial: boolean) => {
    try {
      turns.holdLarge({ callerId, isTrial });
      return true;
    } catch {
      return false;
    }
  };
  expect(Array.from({ length: 8 }, (_, n) => hold(`trial ${n}`, true)).filter(Boolean)).toHaveLength(2);
  expect(["ana", "bia"].map((callerId) => hold(callerId, false))).toEqual([true, true]);
});

test("the visitors of a trial account wait as that account does, not each before another trial account", async () => {
  const turns = createSearchTurns({ ...DEFAULT_SEARCH_LIMITS, turns: 1, turnsPerAccount: 1 });
  const first = Promise.withResolvers<void>();
  const served: string[] = [];
  const search = (callerId: string, accountId: string) =>
    turns.run({ callerId, accountId, isTrial: true }, async () => {
      served.push(accountId);
      await first.promise;
    });
  const all = [0, 1, 2, 3].map((n) => search(`link ${n}`, "ana"));
  all.push(search("bia", "bia"));
  first.resolve();
  await Promise.all(all);
  expect(served.slice(0, 2)).toEqual(["ana", "bia"]);
});
