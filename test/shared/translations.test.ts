import { expect, test } from "bun:test";
import { messages as english } from "../../locales/en-US/messages.ts";
import { messages as portuguese } from "../../locales/pt-BR/messages.ts";

/** The values that a compiled message names: it is a list of texts and of `[name, format?, choices?]`. */
function valuesOf(message: unknown, values = new Set<string>()): ReadonlySet<string> {
  if (!Array.isArray(message)) return values;
  for (const part of message) {
    if (!Array.isArray(part)) continue;
    const [name, , choices] = part as [string, string?, Record<string, unknown>?];
    values.add(name);
    for (const choice of Object.values(choices ?? {})) valuesOf(choice, values);
  }
  return values;
}

test("a translation names no value that the program does not give it", () => {
  const unknown = Object.entries(portuguese).flatMap(([id, message]) => {
    const given = valuesOf((english as Record<string, unknown>)[id]);
    return [...valuesOf(message)].filter((name) => !given.has(name)).map((name) => `${id}: ${name}`);
  });
  expect(unknown).toEqual([]);
  expect([...valuesOf((english as Record<string, unknown>)["exam.seriesCount"])]).toEqual(["seriesCount"]);
});
