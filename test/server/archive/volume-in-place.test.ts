import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { closeSync, existsSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { unzipSync } from "fflate";
import { FileWindow } from "../../../src/server/archive/file-window.ts";
import {
  type EntryInFile,
  makeVolumeInPlace,
  planInPlace,
  sumInPlace,
} from "../../../src/server/archive/volume-in-place.ts";
import { type JoinVolume, planDownload } from "../../../src/server/archive/volume-join.ts";
import { VolumeWriter } from "../../../src/server/archive/volume-writer.ts";
import { openZip } from "../../../src/shared/zip/open-zip.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { type TestEntry, type TestZipOptions, writeTestZip } from "../../support/zip/zip-archive.ts";

// Other programs check the archives, which is slow on a busy machine.
setDefaultTimeout(240_000);

const FIRST = "0198c0de-0000-7000-8000-00000000000a";
const SECOND = "0198c0de-0000-7000-8000-00000000000b";
/** Large enough that the bytes between two entries are few in comparison. */
const LARGE = 100_000;

const noise = (length: number, seed: number) => {
  const bytes = new Uint8Array(length);
  let state = seed + 1;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    bytes[i] = state >> 16;
  }
  return bytes;
};
/** 31 bytes, as the names of a volume. */
const longName = (n: number) => `PACIENTE/ESTUDO/SERIE/IM${String(n).padStart(7, "0")}`;

/** The entries whose names `isKept` likes, as a scan describes them. */
function entriesOf(path: string, isKept = (_name: string): boolean => true): EntryInFile[] {
  using file = new FileWindow(path);
  const archive = openZip(file);
  return Array.from(archive.entries())
    .filter(({ name }) => isKept(name))
    .map((entry) => {
      const located = archive.locate(entry);
      if (!located.ok) throw new Error(located.reason);
      const { offset, length, method } = located.data;
      const { crc32: checksum, sizeBytes } = entry;
      return { dataOffset: offset, storedBytes: length, method, crc32: checksum, sizeBytes };
    });
}

interface Made {
  bytes: Uint8Array;
  path: string;
  entries: EntryInFile[];
  sizeBytes: number;
  sha256: string;
}

async function makeVolume(
  folder: string,
  zip: Uint8Array,
  { isKept, volumeId = FIRST }: { isKept?: (name: string) => boolean; volumeId?: string } = {},
): Promise<Made | undefined> {
  const spool = join(folder, `${Bun.randomUUIDv7()}.spool`);
  writeFileSync(spool, zip);
  const entries = entriesOf(spool, isKept);
  const plan = planInPlace(volumeId, entries);
  if (!plan) return undefined;
  const path = join(folder, `${Bun.randomUUIDv7()}.zip`);
  const made = await makeVolumeInPlace(plan, { path: spool, volumePath: path }, new Uint8Array(64 * 1024));
  expect(existsSync(spool)).toBe(false);
  return { ...made, entries, path, bytes: await Bun.file(path).bytes() };
}

async function made(...given: Parameters<typeof makeVolume>): Promise<Made> {
  const volume = await makeVolume(...given);
  if (!volume) throw new Error("not made");
  return volume;
}

/** What tools without shared code report about an archive; missing tools report nothing. */
function verdictsOfTools(path: string): Record<string, boolean> {
  const python = "import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); sys.exit(z.testzip() is not None)";
  const tools: Record<string, string[]> = {
    unzip: ["unzip", "-tqq", path],
    bsdtar: ["bsdtar", "-tf", path],
    python3: ["python3", "-c", python, path],
  };
  const present = Object.entries(tools).filter(([name]) => Bun.which(name));
  return Object.fromEntries(
    present.map(([name, command]) => {
      const { exitCode, stderr } = Bun.spawnSync(command, { stderr: "pipe" });
      return [name, exitCode === 0 && stderr.length === 0];
    }),
  );
}

function expectAccepted(path: string): void {
  for (const [tool, isSound] of Object.entries(verdictsOfTools(path)))
    expect([tool, isSound]).toEqual([tool, true]);
}

describe("a ZIP that becomes a volume in place", () => {
  test("is an ordinary ZIP of the same contents under generated names, described by its size and SHA-256", async () => {
    await using folder = createTempFolder();
    const contents = [noise(LARGE, 1), noise(LARGE, 2), noise(LARGE, 3)];
    const entries = contents.map((content, i) => ({ name: longName(i), content, method: i === 1 ? 8 : 0 }));
    const volume = await made(folder.path, writeTestZip(entries));
    const files = unzipSync(volume.bytes);
    expect(Object.keys(files)).toEqual([1, 2, 3].map((n) => `DICOM/00000000000a/0000000${n}.dcm`));
    expect(Object.values(files).map((bytes) => crc32(bytes))).toEqual(contents.map((bytes) => crc32(bytes)));
    expect(volume.sizeBytes).toBe(volume.bytes.length);
    expect(volume.sha256).toBe(new Bun.CryptoHasher("sha256").update(volume.bytes).digest("hex"));
    expectAccepted(volume.path);
  });

  test("is described by its own bytes though the checksums of another plan are given", async () => {
    await using folder = createTempFolder();
    const [spool, path] = [join(folder.path, "spool"), join(folder.path, "volume.zip")];
    writeFileSync(spool, writeTestZip([{ name: longName(0), content: noise(LARGE, 1), method: 0 }]));
    const entries = entriesOf(spool);
    const [plan, other] = [planInPlace(FIRST, entries), planInPlace(SECOND, entries)];
    if (!plan || !other) throw new Error("not planned");
    const chunk = new Uint8Array(64 * 1024);
    const fd = openSync(spool, "r");
    const sum = await sumInPlace(other, fd, chunk).finally(() => closeSync(fd));
    const { sha256 } = await makeVolumeInPlace(plan, { path: spool, volumePath: path }, chunk, sum);
    const bytes = await Bun.file(path).bytes();
    expect(sha256).toBe(new Bun.CryptoHasher("sha256").update(bytes).digest("hex"));
  });

  test("is not told to be durable if the disk could not write what is there", async () => {
    const entry = { method: 0, crc32: 0, storedBytes: LARGE, sizeBytes: LARGE, dataOffset: 100 } as const;
    const plan = planInPlace(FIRST, [entry]);
    if (!plan) throw new Error("not planned");
    // It gives zeros to whoever reads, and can't be synced.
    const fd = openSync("/dev/zero", "r");
    try {
      await expect(sumInPlace(plan, fd, new Uint8Array(64 * 1024))).rejects.toMatchObject({ code: "EINVAL" });
    } finally {
      closeSync(fd);
    }
  });

  test("keeps no names, extra fields, data descriptors, skipped entries, comment or bytes in front", async () => {
    await using folder = createTempFolder();
    const secret = Buffer.from("MARIA^DA^SILVA");
    const hidden = Buffer.concat([secret, noise(200, 4)]);
    const content = (n: number) => noise(LARGE, n);
    const zip = writeTestZip(
      [
        { name: `${secret}/first skipped`, content: hidden },
        { name: `${secret}/${longName(1)}`, content: content(1), dataDescriptor: true },
        { name: `${secret}/folder/`, content: new Uint8Array(0) },
        { name: longName(2), content: content(2), local: { extra: hidden } },
        { name: `${secret}/skipped`, content: hidden, method: 8 },
        { name: longName(3), content: content(3), gap: hidden },
        { name: `${secret}/last skipped`, content: hidden },
      ],
      { prefix: hidden, comment: hidden },
    );
    expect(Buffer.from(zip).includes(secret)).toBe(true);
    const isKept = (name: string) => name.includes("IM");
    const volume = await made(folder.path, zip, { isKept });
    expect(Buffer.from(volume.bytes).includes(secret)).toBe(false);
    expect(Buffer.from(volume.bytes).includes(hidden.subarray(20, 60))).toBe(false);
    expect(Buffer.from(volume.bytes).includes("PACIENTE")).toBe(false);
    const files = Object.values(unzipSync(volume.bytes));
    expect(files.map((bytes) => crc32(bytes))).toEqual([1, 2, 3].map((n) => crc32(content(n))));
    expectAccepted(volume.path);
  });

  test("has room for names that are one, two, three bytes longer, or more", async () => {
    await using folder = createTempFolder();
    for (const more of [0, 1, 2, 3, 4, 5, 60]) {
      const name = longName(1) + "Q".repeat(more);
      const volume = await made(folder.path, writeTestZip([{ name, content: noise(LARGE, 1) }]));
      expect(Object.keys(unzipSync(volume.bytes))).toEqual([
        `DICOM/00000000000a/${"0".repeat(more < 4 ? more : 0)}00000001.dcm`,
      ]);
      expect(Buffer.from(volume.bytes.subarray(0, volume.entries[0]?.dataOffset)).includes("Q")).toBe(false);
      expectAccepted(volume.path);
    }
  });

  test("is copied instead if a header has too little room, or too much is between the entries", async () => {
    await using folder = createTempFolder();
    const content = noise(LARGE, 1);
    const isMade = async (entries: TestEntry[], options?: TestZipOptions) =>
      (await makeVolume(folder.path, writeTestZip(entries, options))) !== undefined;
    const [large, name] = [noise(80 * LARGE, 2), longName(1)];
    expect(await isMade([{ name: longName(1).slice(1), content }])).toBe(false);
    expect(await isMade([{ name, content }])).toBe(true);
    expect(await isMade([{ name, content, gap: new Uint8Array(1_010) }])).toBe(true);
    // More than a hundredth of the volume would be padding.
    expect(await isMade([{ name, content, gap: new Uint8Array(1_011) }])).toBe(false);
    // No extra field is longer than 65,535 bytes, itself included.
    expect(await isMade([{ name, content: large, gap: new Uint8Array(65_535) }])).toBe(true);
    expect(await isMade([{ name, content: large, gap: new Uint8Array(65_536) }])).toBe(false);
    expect(await isMade([], {})).toBe(false);
    // A volume can't have an entry that shares bytes with another.
    const overlapping: EntryInFile = {
      dataOffset: 100,
      storedBytes: 100,
      method: 0,
      crc32: 1,
      sizeBytes: 100,
    };
    expect(planInPlace(FIRST, [overlapping, overlapping])).toBeUndefined();
    expect(planInPlace(FIRST, [overlapping, { ...overlapping, dataOffset: 150 }])).toBeUndefined();
  });

  test("writes sizes beyond 4 GiB as ZIP64, in the room it has", () => {
    const GIB = 1024 ** 3;
    const entry = { method: 0, crc32: 1, storedBytes: 5 * GIB, sizeBytes: 5 * GIB } as const;
    expect(planInPlace(FIRST, [{ ...entry, dataOffset: 80 }])).toBeUndefined();
    expect(planInPlace(FIRST, [{ ...entry, dataOffset: 81 }])).toBeDefined();
    const [, second] =
      planInPlace(FIRST, [
        { ...entry, dataOffset: 81 },
        { ...entry, dataOffset: 5 * GIB + 81 + 90 },
      ])?.headers ?? [];
    expect(second).toMatchObject({ offset: 5 * GIB + 81, paddingBytes: 9 });
  });

  test("can become another volume later, since no data moved", async () => {
    await using folder = createTempFolder();
    const zip = writeTestZip([1, 2].map((n) => ({ name: longName(n), content: noise(LARGE, n) })));
    const first = await made(folder.path, zip);
    const again = planInPlace(SECOND, first.entries);
    const path = join(folder.path, "again.zip");
    if (again) await makeVolumeInPlace(again, { path: first.path, volumePath: path }, new Uint8Array(1000));
    const files = unzipSync(await Bun.file(path).bytes());
    expect(Object.keys(files)).toEqual([1, 2].map((n) => `DICOM/00000000000b/0000000${n}.dcm`));
    expect(Object.values(files).map((bytes) => crc32(bytes))).toEqual(
      [1, 2].map((n) => crc32(noise(LARGE, n))),
    );
  });

  test("is joined with others on download, padding and all", async () => {
    await using folder = createTempFolder();
    const zip = (n: number) =>
      writeTestZip([
        { name: `${longName(n)} and more`, content: noise(LARGE, n), dataDescriptor: true },
        { name: `${longName(n)} and others`, content: noise(LARGE, n + 10), method: 8 },
      ]);
    const volumes = [
      { id: FIRST, ...(await made(folder.path, zip(1), { volumeId: FIRST })) },
      { id: SECOND, ...(await made(folder.path, zip(2), { volumeId: SECOND })) },
    ];
    const plan = await planDownload(
      volumes.map(({ id, bytes }): JoinVolume => {
        const read: JoinVolume["read"] = async ({ offset, length }) => bytes.slice(offset, offset + length);
        return { id, sizeBytes: bytes.length, read };
      }),
    );
    const joined = Buffer.concat(
      plan.parts.map((part) => {
        if ("bytes" in part) return part.bytes;
        const { offset, length } = part.range;
        return volumes[part.volumeIndex]?.bytes.subarray(offset, offset + length) ?? new Uint8Array(0);
      }),
    );
    const path = join(folder.path, "joined.zip");
    writeFileSync(path, joined);
    expect(Object.values(unzipSync(joined)).map((bytes) => crc32(bytes))).toEqual(
      [1, 11, 2, 12].map((n) => crc32(noise(LARGE, n))),
    );
    expectAccepted(path);
  });

  test("holds more than 65,535 instances (ZIP64)", async () => {
    await using folder = createTempFolder();
    // Sixty-one bytes of anything for a header, then an instance of one byte.
    const [headerBytes, content] = [61, Uint8Array.of(0)];
    const spool = join(folder.path, "spool");
    writeFileSync(spool, new Uint8Array(65_536 * (headerBytes + 1)));
    const sizes = { storedBytes: 1, sizeBytes: 1 };
    const plan = planInPlace(
      FIRST,
      Array.from({ length: 65_536 }, (_, n) => {
        const dataOffset = n * (headerBytes + 1) + headerBytes;
        return { ...sizes, dataOffset, method: 0 as const, crc32: crc32(content) };
      }),
    );
    const path = join(folder.path, "volume.zip");
    if (plan) await makeVolumeInPlace(plan, { path: spool, volumePath: path }, new Uint8Array(100_000));
    using file = new FileWindow(path);
    const archive = openZip(file);
    expect(archive.entryCount).toBe(65_536);
    expect(Array.from(archive.entries()).at(-1)?.name).toBe("DICOM/00000000000a/00065536.dcm");
    expectAccepted(path);
  });
});

describe("whatever ZIP comes", () => {
  const entry = fc.record({
    name: fc.stringMatching(/^[a-z/]{1,60}$/),
    size: fc.nat(3000),
    method: fc.constantFrom(0, 8),
    dataDescriptor: fc.boolean(),
    extra: fc.nat(80),
    gap: fc.nat(80),
    isKept: fc.boolean(),
    order: fc.nat(),
  });

  test("it becomes the same volume as by copying, entry for entry, or none", async () => {
    await using folder = createTempFolder();
    let inPlace = 0;
    const kept = noise(LARGE, 99);
    const property = fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 8 }), async (given) => {
      const entries = given.map(
        ({ name, size, method, dataDescriptor, extra, gap, isKept }, i): TestEntry => ({
          name: `${isKept ? "kept" : "skipped"}/${name}`,
          content: isKept ? Buffer.concat([noise(size, i), kept]) : noise(size >> 2, i),
          method,
          dataDescriptor,
          local: { extra: noise(extra, i) },
          gap: noise(gap, i),
        }),
      );
      const directory = given
        .map((_, i) => i)
        .sort((a, b) => (given[a]?.order ?? 0) - (given[b]?.order ?? 0));
      const isKept = (name: string) => name.startsWith("kept/");
      const zip = writeTestZip(entries, { directory });
      const volume = await makeVolume(folder.path, zip, { isKept });
      if (!volume) return;
      inPlace++;
      const spool = join(folder.path, "copied-from");
      writeFileSync(spool, zip);
      const copy = join(folder.path, `${Bun.randomUUIDv7()}.zip`);
      const inFileOrder = volume.entries.toSorted((a, b) => a.dataOffset - b.dataOffset);
      {
        await using writer = new VolumeWriter(copy, FIRST);
        for (const { dataOffset, ...one } of inFileOrder)
          await writer.add(one, { bytes: zip.subarray(dataOffset, dataOffset + one.storedBytes) });
        await writer.finish();
      }
      const contents = async (path: string) =>
        Object.values(unzipSync(await Bun.file(path).bytes())).map((bytes) => crc32(bytes));
      expect(await contents(volume.path)).toEqual(await contents(copy));
      const described = (path: string) =>
        entriesOf(path).map(({ crc32: checksum, method, storedBytes, sizeBytes }) => ({
          ...{ checksum, method, storedBytes, sizeBytes },
        }));
      expect(described(volume.path)).toEqual(described(copy));
      expect(Buffer.from(volume.bytes).includes("kept/")).toBe(false);
      expect(Buffer.from(volume.bytes).includes("skipped/")).toBe(false);
      expect(entriesOf(volume.path).map(({ dataOffset }) => dataOffset)).toEqual(
        inFileOrder.map(({ dataOffset }) => dataOffset),
      );
    });
    await fc.assert(property, { numRuns: 40 });
    expect(inPlace).toBeGreaterThan(5);
  });
});
