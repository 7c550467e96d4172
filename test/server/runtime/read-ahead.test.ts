import { expect, test } from "bun:test";
import { type Ahead, readAhead } from "../../../src/server/runtime/read-ahead.ts";

const WIDE: Ahead<number, string> = { maxItems: 3, maxBytes: 100, bytesOf: () => 10 };

/** Reads that end when they are told to. */
function heldReads() {
  const begun: number[] = [];
  const gates = new Map<number, PromiseWithResolvers<string>>();
  return {
    begun,
    read(item: number): Promise<string> {
      begun.push(item);
      const gate = Promise.withResolvers<string>();
      gates.set(item, gate);
      return gate.promise;
    },
    end: (item: number) => gates.get(item)?.resolve(`read ${item}`),
    fail: (item: number) => gates.get(item)?.reject(new Error(`failed ${item}`)),
  };
}

test("nothing is read ahead of the first item, and a few items ahead of each other one", async () => {
  const { begun, read } = heldReads();
  const items = readAhead([1, 2, 3, 4, 5, 6, 7], read, WIDE);
  await items.next();
  expect(begun).toEqual([1]);
  await items.next();
  expect(begun).toEqual([1, 2, 3, 4, 5]);
  await items.next();
  expect(begun).toEqual([1, 2, 3, 4, 5, 6]);
});

test("what is read ahead takes a bounded number of bytes, and a large item is read when it is asked for", async () => {
  const { begun, read } = heldReads();
  const bytesOf = (item: number) => (item === 4 ? 1_000 : 50);
  const items = readAhead([1, 2, 3, 4, 5, 6], read, { ...WIDE, bytesOf });
  for (let step = 0; step < 2; step++) await items.next();
  expect(begun).toEqual([1, 2, 3]);
  await items.next();
  expect(begun).toEqual([1, 2, 3]);
  await items.next();
  expect(begun).toEqual([1, 2, 3, 4]);
  await items.next();
  expect(begun).toEqual([1, 2, 3, 4, 5, 6]);
});

test("results come in order, and a failure is that of its item alone", async () => {
  const { read, end, fail } = heldReads();
  const items = readAhead([1, 2, 3], read, WIDE);
  const first = (await items.next()).value;
  end(1);
  expect(await first?.result).toBe("read 1");
  const second = (await items.next()).value;
  end(3);
  fail(2);
  await expect(second?.result).rejects.toThrow("failed 2");
  const third = (await items.next()).value;
  expect([third?.item, await third?.result]).toEqual([3, "read 3"]);
  expect((await items.next()).done).toBe(true);
});

test("a failure to list the items comes after those that were listed before it", async () => {
  function* listed() {
    yield* [1, 2];
    throw new Error("no more");
  }
  const seen: number[] = [];
  const reading = (async () => {
    for await (const { item } of readAhead(listed(), async (item) => `${item}`, WIDE)) seen.push(item);
  })();
  await expect(reading).rejects.toThrow("no more");
  expect(seen).toEqual([1, 2]);
});

test("what was read and is not wanted any more is discarded", async () => {
  const discarded: string[] = [];
  const discard = async (result: string) => {
    discarded.push(result);
  };
  const items = readAhead([1, 2, 3, 4, 5, 6], async (item) => `${item}`, { ...WIDE, discard });
  await items.next();
  await items.next();
  await items.return();
  expect(discarded).toEqual(["3", "4", "5"]);
});

test("an item without a bound is read alone, and bounds hold behind it", async () => {
  const { begun, read } = heldReads();
  const bytesOf = (item: number) => (item === 2 ? Number.POSITIVE_INFINITY : 50);
  const items = readAhead([1, 2, 3, 4, 5, 6], read, { ...WIDE, bytesOf });
  for (let step = 0; step < 2; step++) await items.next();
  expect(begun).toEqual([1, 2]);
  await items.next();
  expect(begun).toEqual([1, 2, 3, 4]);
});

test("one that can't be discarded keeps no other", async () => {
  const discarded: number[] = [];
  const discard = async (item: number) => {
    discarded.push(item);
    if (item === 3) throw new Error("it can't be discarded");
  };
  const items = readAhead([1, 2, 3, 4, 5], async (item) => item, { ...WIDE, bytesOf: () => 10, discard });
  for (let step = 0; step < 2; step++) await items.next();
  await items.return();
  expect(discarded.toSorted()).toEqual([3, 4, 5]);
});
