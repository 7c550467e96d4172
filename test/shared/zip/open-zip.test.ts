import { describe, expect, test } from "bun:test";
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { zipSync } from "fflate";
import { FileWindow } from "../../../src/server/archive/file-window.ts";
import {
  encodeCentralHeader,
  encodeEndRecords,
  encodeLocalHeader,
} from "../../../src/server/archive/zip-encode.ts";
import { memorySource } from "../../../src/shared/dicom/reading/memory-source.ts";
import { openZip } from "../../../src/shared/zip/open-zip.ts";
import { DEFAULT_ZIP_LIMITS, ZipError, type ZipLimits } from "../../../src/shared/zip/zip-error.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { type TestEntry, writeTestZip } from "../../support/zip/zip-archive.ts";

const text = (value: string) => new TextEncoder().encode(value);
const GIB = 1024 ** 3;

function open(zip: Uint8Array, limits?: ZipLimits) {
  return openZip(memorySource(zip), limits);
}

function failureOf(zip: Uint8Array, limits?: ZipLimits): string | undefined {
  try {
    Array.from(open(zip, limits).entries());
    return undefined;
  } catch (error) {
    if (error instanceof ZipError) return error.code;
    throw error;
  }
}

function located(zip: Uint8Array) {
  const archive = open(zip);
  return Array.from(archive.entries(), (entry) => archive.locate(entry));
}

const one = (entry: Partial<TestEntry> = {}) =>
  writeTestZip([{ name: "a", content: text("hello hello"), ...entry }]);

describe("a ZIP file is read by its central directory", () => {
  test("stored and deflated entries are found at their offsets", () => {
    const zip = zipSync({
      "a/b.dcm": [text("stored"), { level: 0 }],
      "c.dcm": [text("x".repeat(99)), { level: 6 }],
    });
    const archive = open(zip);
    const entries = [...archive.entries()];
    expect(entries.map(({ name, method, sizeBytes }) => [name, method, sizeBytes])).toEqual([
      ["a/b.dcm", 0, 6],
      ["c.dcm", 8, 99],
    ]);
    const [first] = entries.map((entry) => archive.locate(entry));
    if (!first?.ok) throw new Error("not found");
    expect(zip.subarray(first.data.offset, first.data.offset + first.data.length)).toEqual(text("stored"));
  });

  test("an archive without entries is valid", () => {
    expect([...open(writeTestZip([])).entries()]).toEqual([]);
  });

  test("bytes in front of the archive and a comment behind it do no harm", () => {
    const content = text("in the middle");
    const zip = writeTestZip([{ name: "a", content }], {
      prefix: text("#!/bin/sh stub"),
      comment: text("PK\x05\x06"),
    });
    const archive = open(zip);
    const [entry] = archive.entries();
    const found = entry && archive.locate(entry);
    if (!found?.ok) throw new Error("not found");
    expect(zip.subarray(found.data.offset, found.data.offset + found.data.length)).toEqual(content);
  });

  test("sizes come from the directory if the local header leaves them to a data descriptor", () => {
    const zip = one({ dataDescriptor: true, method: 8 });
    expect(located(zip)).toMatchObject([{ ok: true }]);
  });

  test("a longer extra field in the local header moves the data", () => {
    const zip = one({ local: { extra: new Uint8Array(12) } });
    expect(located(zip)).toMatchObject([{ ok: true, data: { offset: 30 + 1 + 12 } }]);
  });

  test("names are read as UTF-8 if flagged or valid as such, else as code page 850", () => {
    const names = (entries: TestEntry[]) =>
      Array.from(open(writeTestZip(entries)).entries(), ({ name }) => name);
    const content = text("x");
    expect(
      names([
        { name: "Conceição", content, flags: 0x800 },
        { name: "João", content },
        { name: Uint8Array.of(0x41, 0x87, 0x84, 0xc6), content },
      ]),
    ).toEqual(["Conceição", "João", "Açäã"]);
  });

  test("entries and offsets beyond 4 GiB are found (ZIP64)", async () => {
    await using folder = createTempFolder();
    const path = join(folder.path, "large.zip");
    const fd = openSync(path, "w");
    const far = { name: "far", method: 0 as const, crc32: 1, storedBytes: 5 * GIB, sizeBytes: 5 * GIB };
    const header = encodeLocalHeader(far);
    const centralOffset = 6 * GIB + header.length + far.storedBytes;
    writeSync(fd, header, 0, header.length, 6 * GIB);
    const central = encodeCentralHeader(far, 6 * GIB);
    const end = encodeEndRecords({ entryCount: 1, centralBytes: central.length, centralOffset });
    ftruncateSync(fd, centralOffset);
    writeSync(fd, central, 0, central.length, centralOffset);
    writeSync(fd, end, 0, end.length, centralOffset + central.length);
    closeSync(fd);

    using file = new FileWindow(path);
    const archive = openZip(file);
    const [entry] = archive.entries();
    expect(entry).toMatchObject({ sizeBytes: 5 * GIB, storedBytes: 5 * GIB, headerOffset: 6 * GIB });
    expect(entry && archive.locate(entry)).toMatchObject({
      ok: true,
      data: { offset: 6 * GIB + header.length },
    });
  });
});

describe("an entry that can't be read is named with its reason", () => {
  test("encrypted, by any of the flags, in either header", () => {
    for (const flags of [0x1, 0x40, 0x2000]) {
      expect(located(one({ flags }))).toEqual([{ ok: false, reason: "zip.encrypted" }]);
    }
    expect(located(one({ local: { flags: 1 } }))).toEqual([{ ok: false, reason: "zip.encrypted" }]);
  });

  test("a compression that is neither stored nor deflate", () => {
    expect(located(one({ method: 12 }))).toEqual([{ ok: false, reason: "zip.method" }]);
  });

  test("headers that contradict each other", () => {
    const malformed = [{ ok: false, reason: "zip.malformed" }] as const;
    expect(located(one({ local: { method: 8 } }))).toEqual([...malformed]);
    expect(located(one({ central: { sizeBytes: 10 } }))).toEqual([...malformed]);
    expect(located(one({ name: "a".repeat(9), central: { headerOffset: 3 } }))).toEqual([...malformed]);
  });

  test("data that would run into the next entry or the directory", () => {
    const reachesOver = { storedBytes: 20, sizeBytes: 20 };
    const next: TestEntry = { name: "b", content: new Uint8Array(100) };
    const zip = writeTestZip([{ name: "a".repeat(20), content: text("short"), central: reachesOver }, next]);
    expect(located(zip)).toMatchObject([{ ok: false, reason: "zip.malformed" }, { ok: true }]);
    const last = writeTestZip([{ name: "a".repeat(20), content: text("short"), central: reachesOver }]);
    expect(located(last)).toEqual([{ ok: false, reason: "zip.malformed" }]);
  });
});

describe("an archive that can't be trusted is refused whole", () => {
  test("a file that is not a ZIP, or was cut", () => {
    expect(failureOf(new Uint8Array(0))).toBe("zip.not_zip");
    expect(failureOf(new Uint8Array(100_000))).toBe("zip.not_zip");
    const zip = one();
    expect(failureOf(zip.subarray(0, zip.length - 1))).toBe("zip.not_zip");
    expect(failureOf(zip.subarray(20))).toBe("zip.malformed");
  });

  test("one that spans several disks", () => {
    expect(failureOf(writeTestZip([], { end: { disk: 1 } }))).toBe("zip.multi_disk");
  });

  test("more entries, or a larger directory, than allowed", () => {
    const entries = Array.from({ length: 3 }, (_, i) => ({ name: `${i}`, content: text("x") }));
    const zip = writeTestZip(entries);
    expect(failureOf(zip, { ...DEFAULT_ZIP_LIMITS, maxEntries: 2 })).toBe("zip.too_many_entries");
    expect(failureOf(zip, { ...DEFAULT_ZIP_LIMITS, maxCentralBytes: 100 })).toBe("zip.directory_too_large");
    expect(failureOf(writeTestZip([], { end: { entryCount: 60_000 } }))).toBe("zip.malformed");
    const uncounted = writeTestZip(entries, { end: { entryCount: 1 } });
    expect(failureOf(uncounted, { ...DEFAULT_ZIP_LIMITS, maxEntries: 2 })).toBe("zip.too_many_entries");
  });

  test("a bomb whose entries share their bytes", () => {
    const kernel = { name: "a", content: new Uint8Array(10_000), method: 8 };
    const shared = { name: "b", content: text("x"), central: { headerOffset: 0 } };
    expect(failureOf(writeTestZip([kernel, shared]))).toBe("zip.overlap");
    const inside = { ...shared, central: { headerOffset: 10 } };
    expect(failureOf(writeTestZip([kernel, inside]))).toBe("zip.overlap");
    expect(failureOf(writeTestZip([inside, kernel].reverse()))).toBe("zip.overlap");
  });

  test("reading any bytes ends with entries or a typed refusal, and stays inside the file", () => {
    const honest = writeTestZip(
      [
        { name: "one.dcm", content: text("first"), method: 8 },
        { name: "two.dcm", content: text("second") },
      ],
      { comment: text("a comment") },
    );
    const edits = fc.array(fc.tuple(fc.nat(honest.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(edits, fc.nat(20), fc.nat(20), (changes, cutFront, cutBack) => {
        const zip = honest.slice(cutFront, honest.length - cutBack);
        for (const [at, value] of changes) if (at < zip.length) zip[at] = value;
        try {
          const archive = open(zip);
          for (const entry of archive.entries()) {
            const found = archive.locate(entry);
            if (found.ok) expect(found.data.offset + found.data.length).toBeLessThanOrEqual(zip.length);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(ZipError);
        }
      }),
      { numRuns: 3000 },
    );
  });
});
