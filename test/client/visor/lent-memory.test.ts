import { expect, test } from "bun:test";
import { createCounterweight } from "../../../src/client/visor/core/counterweight.ts";
import { createLentMemory } from "../../../src/client/visor/core/lent-memory.ts";

test("memory that was given back is lent again, if it is larger than what will be read", () => {
  const memory = createLentMemory();
  const first = memory.lend(100_000);
  expect(first.byteLength).toBeGreaterThan(100_000);
  expect(memory.lend(100_000)).not.toBe(first);
  memory.giveBack(first);
  expect(memory.lend(first.byteLength)).not.toBe(first);
  expect(memory.lend(90_000)).toBe(first);
});

test("little memory waits to be lent", () => {
  const memory = createLentMemory();
  const given = Array.from({ length: 100 }, () => new ArrayBuffer(10));
  for (const one of given) memory.giveBack(one);
  const lent = Array.from({ length: 100 }, () => memory.lend(5));
  expect(lent.filter((one) => given.includes(one)).length).toBeLessThanOrEqual(8);
});

test("the browser that counts arrays alone gets one to count for some answers, the others none", () => {
  const sizes: number[] = [];
  const allocate = (bytes: number) => {
    sizes.push(bytes);
    return new ArrayBuffer(0);
  };
  const [needed, other] = [createCounterweight(true, allocate), createCounterweight(false, allocate)];
  for (let i = 0; i < 40; i++) needed.add();
  expect(sizes).toHaveLength(5);
  for (let i = 0; i < 40; i++) other.add();
  expect(sizes).toHaveLength(5);
});
