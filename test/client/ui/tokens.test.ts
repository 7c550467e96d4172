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

test("layouts change with the text size that a person chose in their browser", () => {
  const queries = filesUnder("src/client", /\.(css|tsx?)$/).flatMap((path) =>
    Array.from(textOf(path).matchAll(/\((?:min|max)-(?:width|height): [\d.]+(\w+)\)/g), ([query, unit]) => ({
      unit,
      where: `${path}: ${query}`,
    })),
  );
  expect(queries.length).toBeGreaterThan(50);
  expect(queries.filter(({ unit }) => unit !== "em").map(({ where }) => where)).toEqual([]);
});

test("what is underlined is so in Safari too, which drops the shorthand with a thickness or a colour", () => {
  const shorthands = filesUnder("src/client", /\.css$/).flatMap((path) =>
    Array.from(textOf(path).matchAll(/\btext-decoration:\s*([^;]+);/g), ([, value = ""]) => ({
      path,
      value,
    })),
  );
  expect(shorthands.length).toBeGreaterThan(3);
  expect(shorthands.filter(({ value }) => value.trim().includes(" "))).toEqual([]);
});

test("the menu at the side scrolls only up and down, also in Safari, which counts what reaches into its padding", () => {
  const side = /^\.side \{([^}]*)\}/m.exec(textOf("src/client/features/frame/his.css"))?.[1];
  expect(side).toContain("overflow: hidden auto;");
});
