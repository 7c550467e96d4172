import { expect, test } from "bun:test";
import { join } from "node:path";

const page = await Bun.file(join(import.meta.dir, "../docs/faults.md")).text();
const named = [...page.matchAll(/^(\d+)\. `([^`]+)` › (.+)$/gm)];

test("each test that the table of faults names is there", async () => {
  expect(named.length).toBeGreaterThan(30);
  for (const [, , path, title = ""] of named) {
    const file = Bun.file(join(import.meta.dir, `${path}.test.ts`));
    const text = (await file.exists()) ? await file.text() : "";
    expect([path, text.includes(title) ? title : undefined]).toEqual([path, title]);
  }
});

test("each number in the table is one of the tests, and each test is in the table", () => {
  const [, ...rows] = page.split("\n").filter((line) => line.startsWith("| "));
  const prose = page.slice(page.indexOf("A node that stays dead"), page.indexOf("## Tests"));
  const used = [...rows, prose].flatMap((text) =>
    [...text.matchAll(/\(([\d, ]+)\)/g)].flatMap(([, numbers = ""]) => numbers.split(", ").map(Number)),
  );
  const numbers = named.map(([, number]) => Number(number));
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  expect([...new Set(used)].toSorted((one, other) => one - other)).toEqual(numbers);
});
