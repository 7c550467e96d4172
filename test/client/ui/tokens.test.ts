import { expect, test } from "bun:test";
import { filesUnder, textOf } from "../../support/source-tree.ts";

/** Set by the library on the elements that it draws. */
const GIVEN = /^--radix-/;

test("every custom property that a style uses is defined", () => {
  const styles = filesUnder("src/client", /\.css$/).map(textOf);
  const code = filesUnder("src/client").map(textOf);
  const defined = new Set(
    [...styles, ...code].flatMap((text) =>
      Array.from(text.matchAll(/(--[\w-]+)"?\s*:/g), ([, name]) => name),
    ),
  );
  const used = styles.flatMap((text) =>
    Array.from(text.matchAll(/var\((--[\w-]+)\)/g), ([, name = ""]) => name),
  );
  expect(used.length).toBeGreaterThan(100);
  expect([...new Set(used)].filter((name) => !defined.has(name) && !GIVEN.test(name))).toEqual([]);
});
