import { describe, expect, test } from "bun:test";
import { pickLocale } from "../../src/shared/locale.ts";

describe("the language of a request", () => {
  test.each([
    [undefined, "pt-BR"],
    ["", "pt-BR"],
    ["*", "pt-BR"],
    ["pt", "pt-BR"],
    ["pt-PT,en;q=0.9", "pt-BR"],
    ["en-US,en;q=0.9,pt;q=0.8", "en-US"],
    ["EN", "en-US"],
    ["en;q=0.3, pt-BR", "pt-BR"],
    ["de, pt;q=0.8, en;q=0.2", "pt-BR"],
    ["de, en;q=0.8, pt;q=0.2", "en-US"],
    ["en;q=0, pt;q=0.1", "pt-BR"],
    ["pt;q=0, en;q=0.1", "en-US"],
    ["fr", "en-US"],
    ["fr, *;q=0.5", "pt-BR"],
    ["en; q=zero", "en-US"],
  ] as const)("that accepts %p is %s", (header, locale) => {
    expect(pickLocale(header)).toBe(locale);
  });
});
