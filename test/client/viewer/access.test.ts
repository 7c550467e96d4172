import { describe, expect, test } from "bun:test";
import { takeAccess } from "../../../src/client/viewer/access.ts";
import { TEXTS, viewerLanguage } from "../../../src/client/viewer/texts.ts";

/** A tab: its address bar and its storage. */
function tab() {
  const kept = new Map<string, string>();
  const location = { href: "" };
  return {
    location,
    history: {
      replaceState(_state: unknown, _title: string, url?: string | URL | null) {
        location.href = String(url);
      },
    },
    sessionStorage: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
    },
    go(query: string) {
      location.href = `https://exames.example/viewer/basic?${query}`;
    },
  };
}

describe("the viewer's token", () => {
  test("leaves the address bar and survives a reload", () => {
    const browser = tab();
    browser.go("StudyInstanceUIDs=1.2&t=secret&lng=pt-BR");
    expect(takeAccess(browser)?.token).toBe("secret");
    expect(browser.location.href).toBe("https://exames.example/viewer/basic?StudyInstanceUIDs=1.2&lng=pt-BR");
    expect(takeAccess(browser)?.token).toBe("secret");
  });

  test("is used for its own study only", () => {
    const browser = tab();
    browser.go("StudyInstanceUIDs=1.2&t=secret");
    takeAccess(browser);
    browser.go("StudyInstanceUIDs=1.3");
    expect(takeAccess(browser)).toBeUndefined();
  });

  test("is replaced by a new token", () => {
    const browser = tab();
    browser.go("StudyInstanceUIDs=1.2&t=old");
    takeAccess(browser);
    browser.go("StudyInstanceUIDs=1.2&t=new");
    expect(takeAccess(browser)?.token).toBe("new");
  });
});

describe("the viewer's language", () => {
  test.each([
    ["pt-BR", "pt-BR"],
    ["pt", "pt-BR"],
    ["en-US", "en-US"],
    ["de", "en-US"],
    [null, "pt-BR"],
  ] as const)("%p is shown as %s", (code, language) => {
    expect(viewerLanguage(code)).toBe(language);
  });

  test("has a text for ended access in Portuguese and in English", () => {
    expect(TEXTS["pt-BR"].accessEnded).not.toBe(TEXTS["en-US"].accessEnded);
  });
});
