import { expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { jsonOfLists } from "../../../src/server/features/export/json-of-lists.ts";

async function written(lists: Record<string, readonly object[]>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(jsonOfLists(lists))).toString();
}

const row = { id: "a", folders: ["E1", "E2"], report: null, text: "linha\numa" };

test("lists are written as JSON.stringify writes them", async () => {
  for (const lists of [
    { studies: [], laboratory: [] },
    { studies: [row, {}], laboratory: [{ ação: 1 }] },
  ])
    expect(await written(lists)).toBe(`${JSON.stringify(lists, null, 2)}\n`);
});

test("other work goes on while a long list is written", async () => {
  const long = { description: "exame ".repeat(20), series: Array.from({ length: 10 }, (_, n) => ({ n })) };
  let turns = 0;
  let isDone = false;
  const others = (async () => {
    for (; !isDone; turns++) await setImmediate();
  })();
  await written({ studies: Array<object>(20_000).fill(long) });
  isDone = true;
  await others;
  expect(turns).toBeGreaterThan(2);
});
