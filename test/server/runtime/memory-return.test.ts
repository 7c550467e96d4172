import { expect, test } from "bun:test";
import { MemoryReturn } from "../../../src/server/runtime/memory-return.ts";

/** Each look comes after as much CPU as is given here. */
function looksAfter(...cpuMs: number[]): number[] {
  let spent = 1_000;
  let look = 0;
  const returns: number[] = [];
  using memory = new MemoryReturn({ cpuMs: () => spent, shrink: () => returns.push(look) });
  for (const each of cpuMs) {
    spent += each;
    memory.look();
    look++;
  }
  return returns;
}
const rests = (count: number) => Array<number>(count).fill(30);

test("what the start left is given back at the first rest", () => {
  expect(looksAfter(2_000, 900, 30, 30)).toEqual([2]);
});

test("what work left is given back after a minute of rest, once", () => {
  expect(looksAfter(30, 3_000, 3_000, ...rests(60))).toEqual([0, 22]);
});

test("a pause between two requests gives nothing back", () => {
  expect(looksAfter(30, 3_000, 3_000, ...rests(19), 400, ...rests(19), 400)).toEqual([0]);
});

test("work of little CPU is not worth it", () => {
  expect(looksAfter(30, 2_000, ...rests(60))).toEqual([0]);
});
