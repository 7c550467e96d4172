import { expect, test } from "bun:test";
import { ensureStorage } from "../../../src/client/viewer/storage.ts";

type Page = Pick<Window, "localStorage" | "sessionStorage"> & { document: { cookie: string } };

/** A page in a frame of another site, with third-party cookies blocked. */
function refusing(error: () => Error): Page {
  const refuse = () => {
    throw error();
  };
  const document = Object.defineProperty({} as Page["document"], "cookie", {
    get: refuse,
    configurable: true,
  });
  return Object.defineProperties({ document } as Page, {
    localStorage: { get: refuse, configurable: true },
    sessionStorage: { get: refuse, configurable: true },
  });
}

test("the viewer's page keeps its data in memory if the browser refuses storage", () => {
  const page = refusing(() => new DOMException("Access is denied for this document.", "SecurityError"));
  ensureStorage(page);
  page.localStorage.setItem("i18nextLng", "pt-BR");
  page.localStorage.setItem("theme", "dark");
  expect(page.localStorage.getItem("i18nextLng")).toBe("pt-BR");
  expect([page.localStorage.length, page.localStorage.key(1)]).toEqual([2, "theme"]);
  page.localStorage.removeItem("theme");
  expect(page.localStorage.getItem("theme")).toBeNull();
  expect(page.sessionStorage.length).toBe(0);
  page.localStorage.clear();
  expect(page.localStorage.getItem("i18nextLng")).toBeNull();
  page.document.cookie = "theme=dark";
  expect(page.document.cookie).toBe("");
});

test("the browser's storage is used if it is available", () => {
  const storage = {} as Storage;
  const page = { localStorage: storage, sessionStorage: storage, document: { cookie: "a=b" } };
  ensureStorage(page);
  expect(page.document.cookie).toBe("a=b");
  expect(page.localStorage).toBe(storage);
});

test("other failures are not treated as a refusal", () => {
  expect(() => ensureStorage(refusing(() => new Error("gone")))).toThrow("gone");
});
