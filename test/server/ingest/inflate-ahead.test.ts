import { expect, test } from "bun:test";
import { randomFillSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Zippable, zipSync } from "fflate";
import { FileWindow } from "../../../src/server/archive/file-window.ts";
import { type FoundEntry, inflateAhead } from "../../../src/server/features/ingest/worker/inflate-ahead.ts";
import { readEntry } from "../../../src/server/features/ingest/worker/read-entry.ts";
import { openZip } from "../../../src/shared/zip/open-zip.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

const MIB = 1024 * 1024;

function zipFile(folder: string, entries: Zippable): { file: FileWindow; found: FoundEntry[] } {
  const path = join(folder, "spool");
  writeFileSync(path, zipSync(entries));
  // Smaller than the deflated entries, so that each read overwrites what the one before gave.
  const file = new FileWindow(path, 64);
  const archive = openZip(file);
  return {
    file,
    found: Array.from(archive.entries(), (entry) => ({ entry, located: archive.locate(entry) })),
  };
}

test("entries that are inflated ahead come in their order, with what reading each in its turn gives", async () => {
  await using folder = createTempFolder();
  const entries: Zippable = {};
  for (let n = 0; n < 60; n++) {
    const length = [200, 70_000, 300_000, 3 * MIB, 5 * MIB, 0][n % 6] ?? 0;
    const bytes = randomFillSync(new Uint8Array(length), 0, Math.min(length, 200_000));
    entries[`${n}`] = [bytes, { level: n % 4 === 0 ? 0 : 1 }];
  }
  const { file, found } = zipFile(folder.path, entries);
  using _ = file;
  // Of every seventh, the directory and the local header tell another sum; of some, another size.
  const told = found.map((one, n) => {
    if (n % 7 === 3) return { ...one, entry: { ...one.entry, crc32: one.entry.crc32 ^ 1 } };
    if (n % 7 === 5) return { ...one, entry: { ...one.entry, sizeBytes: one.entry.sizeBytes + 1 } };
    if (n % 7 === 6)
      return { ...one, entry: { ...one.entry, sizeBytes: Math.max(0, one.entry.sizeBytes - 1) } };
    return one;
  });
  let place = 0;
  let ahead = 0;
  for (const { entry, located, content } of inflateAhead(file, told)) {
    expect(entry.name).toBe(String(place++));
    if (entry.sizeBytes > 4 * MIB || entry.sizeBytes < 128 * 1024) expect(content).toBeUndefined();
    if (!located.ok || !content) continue;
    ahead++;
    const [beside, inTurn] = [await content, readEntry(file, entry, located.data)];
    if (!inTurn.ok || !beside.ok) expect<unknown>(beside).toEqual(inTurn);
    else {
      expect(beside.contentHash).toBe(inTurn.contentHash);
      expect(beside.source.read(0, entry.sizeBytes)).toEqual(inTurn.source.read(0, entry.sizeBytes));
    }
  }
  expect(place).toBe(60);
  expect(ahead).toBeGreaterThan(10);
});

test("what is inflated ahead is bounded, and nothing behind an entry that is read in its turn is read before it", async () => {
  await using folder = createTempFolder();
  const slice = randomFillSync(new Uint8Array(MIB), 0, 200_000);
  const names = Array.from({ length: 64 }, (_, n) => `${n}`);
  const entries: Zippable = Object.fromEntries(
    names.map((name, n) => [name, [slice, { level: n === 40 ? 0 : 1 }]]),
  );
  const { file, found } = zipFile(folder.path, entries);
  using _ = file;
  let pulled = 0;
  function* counted() {
    for (const one of found) {
      pulled++;
      yield one;
    }
  }
  let taken = 0;
  let most = 0;
  for (const { entry, content } of inflateAhead(file, counted())) {
    taken++;
    most = Math.max(most, pulled - taken);
    if (taken === 30 || taken === 55) expect(pulled - taken).toBe(3);
    if (entry.name === "40") expect([content, pulled]).toEqual([undefined, taken]);
    else expect((await content)?.ok).toBe(true);
  }
  expect(taken).toBe(64);
  // Three of them, deflated and inflated, fit into 4 MiB; another waits for room.
  expect(most).toBe(3);
});

test("an entry of few bytes is left to the caller, however much it inflates to", async () => {
  await using folder = createTempFolder();
  const [blank, noisy] = [new Uint8Array(2 * MIB), randomFillSync(new Uint8Array(2 * MIB), 0, 200_000)];
  const { file, found } = zipFile(folder.path, { blank, noisy });
  using _ = file;
  const isAhead: Record<string, boolean> = {};
  for (const { entry, content } of inflateAhead(file, found))
    isAhead[entry.name] = (await content) !== undefined;
  expect(isAhead).toEqual({ blank: false, noisy: true });
});
