import { expect, test } from "bun:test";
import { isLockedZip } from "../../../src/client/features/pick/locked-zip.ts";
import { writeTestZip } from "../../support/zip/zip-archive.ts";

const content = Buffer.from("x");
const zip = (...given: number[]) =>
  new Blob([new Uint8Array(writeTestZip(given.map((flags, n) => ({ name: `IM${n}`, content, flags }))))]);

test("a ZIP has a password if each of its files has one", async () => {
  expect(await isLockedZip(zip(1, 1))).toBe(true);
  expect(await isLockedZip(zip(1, 0))).toBe(false);
  expect(await isLockedZip(zip())).toBe(false);
  expect(await isLockedZip(new Blob(["no ZIP"]))).toBe(false);
});
