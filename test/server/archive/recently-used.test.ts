import { expect, test } from "bun:test";
import { RecentlyUsed } from "../../../src/server/archive/recently-used.ts";

const MAX_WEIGHT = 6;

/** Keeps texts by their first letter and notes each making. */
function createTexts() {
  const kept = new RecentlyUsed<string>(MAX_WEIGHT);
  const made: string[] = [];
  const make = async (text: string) => {
    made.push(text);
    if (text === "") throw new Error("nothing");
    return text;
  };
  const ask = (key: string, text: string) =>
    kept.getOrMake(
      key,
      () => make(text),
      ({ length }) => length,
    );
  return { ask, made };
}

test("those who ask at the same time, and later, share one making", async () => {
  const { ask, made } = createTexts();
  expect(await Promise.all([ask("a", "aaa"), ask("a", "aaa")])).toEqual(["aaa", "aaa"]);
  expect(await ask("a", "aaa")).toBe("aaa");
  expect(made).toEqual(["aaa"]);
});

test("what could not be made is made for who asks next", async () => {
  const { ask, made } = createTexts();
  await expect(ask("a", "")).rejects.toThrow("nothing");
  expect(await ask("a", "aaa")).toBe("aaa");
  expect(made).toEqual(["", "aaa"]);
});

test("what was not used for longest goes once all weigh too much", async () => {
  const { ask, made } = createTexts();
  for (const letter of ["a", "b", "a", "c", "a", "b"]) await ask(letter, letter.repeat(3));
  expect(made).toEqual(["aaa", "bbb", "ccc", "bbb"]);
});
