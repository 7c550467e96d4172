import "../../support/client/dom-globals.ts";
import { afterEach, describe, expect, test } from "bun:test";
import { removeAbandonedFiles } from "../../../src/client/features/upload/pack-folder/packed-files.ts";
import { holdRow, releaseRow } from "../../../src/client/features/upload/send/row-locks.ts";
import { withDom } from "../../support/client/dom.ts";

withDom();

const undo: (() => void)[] = [];
function lend(target: object, name: string, value: unknown): void {
  const before = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { value, configurable: true });
  undo.push(() => {
    if (before) Object.defineProperty(target, name, before);
    else Reflect.deleteProperty(target, name);
  });
}
afterEach(() => {
  for (const end of undo.splice(0)) end();
});

test("a row of the tray is this page's where the browser refuses locks", async () => {
  lend(navigator, "locks", { request: () => Promise.reject(new DOMException("", "SecurityError")) });
  expect(await Promise.race([holdRow("a"), Bun.sleep(200).then(() => "no answer")])).toBe(true);
  releaseRow("a");
});

describe("files that a closed page left", () => {
  const leftBy = (removeEntry: (name: string) => Promise<void>) => {
    const folder = {
      removeEntry,
      async *keys() {
        yield* ["a.zip", "b.zip", "c.zip"];
      },
    };
    const root = { getDirectoryHandle: async () => folder };
    lend(navigator, "storage", { getDirectory: async () => root });
    lend(globalThis, "FileSystemFileHandle", { prototype: { createWritable: () => undefined } });
    lend(navigator, "locks", {
      request: async (_name: string, _options: object, take: (lock: object) => unknown) => await take({}),
    });
  };

  test("are removed although the browser holds on to one of them", async () => {
    const removed: string[] = [];
    leftBy(async (name) => {
      if (name === "a.zip") throw new DOMException("", "NoModificationAllowedError");
      removed.push(name);
    });
    await removeAbandonedFiles(new Set(["c.zip"]));
    expect(removed).toEqual(["b.zip"]);
  });
});
