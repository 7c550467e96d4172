import { expect, test } from "bun:test";
import { closeSync, existsSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { writeFully } from "../../../src/server/archive/file-window.ts";
import { saveUndo, undoInPlace } from "../../../src/server/archive/undo-in-place.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

test("a file that was overwritten is brought back as it was, however often, and whether it grew or shrank", async () => {
  await using folder = createTempFolder();
  const original = crypto.getRandomValues(new Uint8Array(60_000));
  const regions = [
    { offset: 0, length: 30 },
    { offset: 1000, length: 0 },
    { offset: 50_000, length: 10_000 },
  ];
  for (const sizeBytes of [52_000, 90_000]) {
    const path = join(folder.path, `file-${sizeBytes}`);
    const undoPath = join(folder.path, `undo-${sizeBytes}`);
    await Bun.write(path, original);
    const fd = openSync(path, "r+");
    await saveUndo(fd, regions, undoPath);
    writeFully(fd, new Uint8Array(30), 0);
    // As a second build would: what was saved first stays.
    await saveUndo(fd, regions, undoPath);
    closeSync(fd);
    const changed = await Bun.file(path).bytes();
    await Bun.write(path, Buffer.concat([changed, new Uint8Array(40_000)]).subarray(0, sizeBytes));
    await undoInPlace(path, undoPath);
    expect(await Bun.file(path).bytes()).toEqual(original);
    expect(existsSync(undoPath)).toBe(false);
    await undoInPlace(path, undoPath);
    expect(await Bun.file(path).bytes()).toEqual(original);
  }
});

test("a file that is gone leaves what was saved closed, and there", async () => {
  await using folder = createTempFolder();
  const path = join(folder.path, "file");
  const undoPath = join(folder.path, "undo");
  await Bun.write(path, new Uint8Array(100));
  const fd = openSync(path, "r+");
  await saveUndo(fd, [{ offset: 0, length: 10 }], undoPath);
  closeSync(fd);
  const before = openFiles();
  for (let time = 0; time < 20; time++) {
    await expect(undoInPlace(join(folder.path, "gone"), undoPath)).rejects.toThrow("ENOENT");
  }
  expect(openFiles() - before).toBeLessThan(10);
  expect(existsSync(undoPath)).toBe(true);
});

function openFiles(): number {
  return readdirSync("/proc/self/fd").length;
}
