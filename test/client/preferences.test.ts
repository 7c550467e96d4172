import "../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { withDom } from "../support/client/dom.ts";

withDom();

const { readLanguage, readMenuPosition, readTheme } = await import("../../src/client/preferences.ts");

function withLanguages(languages: string[]): void {
  Object.defineProperty(navigator, "languages", { value: languages, configurable: true });
}

test("a first visit is in Portuguese where the browser has it or names no language, and in English elsewhere", () => {
  withLanguages(["en-US", "en"]);
  expect(readLanguage()).toBe("en-US");
  withLanguages(["en-US", "pt-PT"]);
  expect(readLanguage()).toBe("pt-BR");
  withLanguages(["fr-FR"]);
  expect(readLanguage()).toBe("en-US");
  withLanguages([]);
  expect(readLanguage()).toBe("pt-BR");
});

test("the defaults are Portuguese, the dark theme and the menu at the side", () => {
  expect([readLanguage(), readTheme(), readMenuPosition()]).toEqual(["pt-BR", "dark", "sidebar"]);
});

test("a stored choice is used; a language is Portuguese if its code contains pt", () => {
  for (const [key, value] of Object.entries({ language: "en-US", theme: "light", menuPosition: "topbar" }))
    localStorage.setItem(key, value);
  expect([readLanguage(), readTheme(), readMenuPosition()]).toEqual(["en-US", "light", "topbar"]);
  localStorage.setItem("language", "pt-PT");
  expect(readLanguage()).toBe("pt-BR");
});
