import { expect, test } from "bun:test";
import { fstatSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OpenFiles } from "../../../src/server/storage/disk/open-files.ts";

/** Whether the descriptor is open. */
function isOpen(fd: number | undefined): boolean {
  try {
    return fd !== undefined && fstatSync(fd).isFile();
  } catch {
    return false;
  }
}

test("a file is open once for all its readers, and is closed by the last one after it is forgotten", async () => {
  const folder = await mkdtemp(join(tmpdir(), "open-files-"));
  const path = join(folder, "volume");
  await writeFile(path, "bytes");
  const openFiles = new OpenFiles(() => true);
  const [one, other] = [openFiles.lend(path), openFiles.lend(path)];
  const fd = one?.file.fd;
  expect(other?.file.fd).toBe(fd ?? -1);
  one?.[Symbol.dispose]();
  one?.[Symbol.dispose]();
  openFiles.forget(path);
  expect(isOpen(fd)).toBe(true);
  other?.[Symbol.dispose]();
  expect(isOpen(fd)).toBe(false);
  await rm(folder, { recursive: true });
});

test("few files stay open: the one that was opened first is closed for another", async () => {
  const folder = await mkdtemp(join(tmpdir(), "open-files-"));
  const openFiles = new OpenFiles(() => true);
  const fds: (number | undefined)[] = [];
  for (let number = 0; number < 20; number++) {
    const path = join(folder, String(number));
    await writeFile(path, "bytes");
    using lent = openFiles.lend(path);
    fds.push(lent?.file.fd);
  }
  expect(new Set(fds.filter(isOpen)).size).toBe(16);
  for (let number = 0; number < 20; number++) openFiles.forget(join(folder, String(number)));
  expect(fds.some(isOpen)).toBe(false);
  await rm(folder, { recursive: true });
});

test("a file that may not be opened is not lent", () => {
  expect(new OpenFiles(() => false).lend(import.meta.path)).toBeUndefined();
});
