import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { localStore } from "../../../src/client/runtime/browser-storage.ts";
import { withDom } from "../../support/client/dom.ts";

withDom();

/** Runs `work` while the browser lets the page keep nothing. */
function whileBlocked(work: () => void): void {
  const { localStorage } = window;
  const refuse = () => {
    throw new DOMException("blocked", "SecurityError");
  };
  Object.defineProperty(window, "localStorage", { configurable: true, get: refuse });
  try {
    work();
  } finally {
    Object.defineProperty(window, "localStorage", { configurable: true, value: localStorage });
  }
}

test("what the browser does not take lasts as long as the page, until it is removed or taken", () => {
  localStore.write("a", "before");
  whileBlocked(() => localStore.write("a", "now"));
  expect([localStore.read("a"), localStorage.getItem("a")]).toEqual(["now", "before"]);
  expect(localStore.outlivesPage("a")).toBe(false);
  localStore.write("a", "later");
  expect([localStore.read("a"), localStorage.getItem("a")]).toEqual(["later", "later"]);
  expect(localStore.outlivesPage("a")).toBe(true);
  whileBlocked(() => localStore.write("a", "now"));
  localStore.write("a", undefined);
  expect([localStore.read("a"), localStorage.getItem("a")]).toEqual([undefined, null]);
});
