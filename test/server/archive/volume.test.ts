import { describe, expect, test } from "bun:test";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { unzipSync } from "fflate";
import { FileWindow } from "../../../src/server/archive/file-window.ts";
import { PIECE_BYTES } from "../../../src/server/archive/piece-sums.ts";
import {
  type JoinPart,
  type JoinVolume,
  planDownload,
  readVolumeDirectory,
  slicePlan,
} from "../../../src/server/archive/volume-join.ts";
import {
  type EntryBytes,
  type VolumeEntry,
  VolumeWriter,
} from "../../../src/server/archive/volume-writer.ts";
import {
  encodeCentralHeader,
  encodeEndRecords,
  encodeLocalHeader,
} from "../../../src/server/archive/zip-encode.ts";
import type { ByteRange } from "../../../src/server/storage/object-store.ts";
import { openZip } from "../../../src/shared/zip/open-zip.ts";
import { ZipError } from "../../../src/shared/zip/zip-error.ts";
import { decodeCentralHeader } from "../../../src/shared/zip/zip-format.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

const GIB = 1024 ** 3;
const FIRST = "0198c0de-0000-7000-8000-00000000000a";
const SECOND = "0198c0de-0000-7000-8000-00000000000b";

const pattern = (length: number, seed: number) => Uint8Array.from({ length }, (_, i) => (i * seed) >> 3);

function stored(content: Uint8Array): [VolumeEntry, EntryBytes] {
  const sizeBytes = content.length;
  return [{ method: 0, crc32: crc32(content), storedBytes: sizeBytes, sizeBytes }, { bytes: content }];
}

function deflated(content: Uint8Array): [VolumeEntry, EntryBytes] {
  const bytes = deflateRawSync(content);
  return [
    { method: 8, crc32: crc32(content), storedBytes: bytes.length, sizeBytes: content.length },
    { bytes },
  ];
}

async function writeVolume(path: string, volumeId: string, entries: [VolumeEntry, EntryBytes][]) {
  await using writer = new VolumeWriter(path, volumeId);
  const offsets: number[] = [];
  for (const [entry, source] of entries) offsets.push((await writer.add(entry, source)).dataOffset);
  return { offsets, ...(await writer.finish()) };
}

function volumeInMemory(id: string, bytes: Uint8Array): JoinVolume {
  return {
    id,
    sizeBytes: bytes.length,
    read: async ({ offset, length }) => bytes.slice(offset, offset + length),
  };
}

function assemble(parts: readonly JoinPart[], volumes: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(
    parts.map((part) => {
      if ("bytes" in part) return part.bytes;
      const { offset, length } = part.range;
      return volumes[part.volumeIndex]?.subarray(offset, offset + length) ?? new Uint8Array(0);
    }),
  );
}

/** What `unzip -t` says of an archive: the opinion of a tool that shares no code with the server. */
function unzipAccepts(path: string): boolean {
  const { exitCode } = Bun.spawnSync(["unzip", "-tqq", path]);
  return exitCode === 0;
}

describe("a volume", () => {
  const contents = [pattern(300_000, 7), pattern(5_000_000, 3), new Uint8Array(0), pattern(17, 1)] as const;
  const entries = () => contents.map((content, i) => (i % 2 ? deflated(content) : stored(content)));

  test("is an ordinary ZIP that returns its contents, under generated names", async () => {
    await using folder = createTempFolder();
    const path = join(folder.path, "volume");
    await writeVolume(path, FIRST, entries());
    const files = unzipSync(await Bun.file(path).bytes());
    expect(Object.keys(files)).toEqual([1, 2, 3, 4].map((n) => `DICOM/00000000000a/0000000${n}.dcm`));
    expect(Object.values(files).map((bytes) => crc32(bytes))).toEqual(contents.map((bytes) => crc32(bytes)));
  });

  test.skipIf(!Bun.which("unzip"))("opens with unzip", async () => {
    await using folder = createTempFolder();
    const path = join(folder.path, "volume.zip");
    await writeVolume(path, FIRST, entries());
    expect(unzipAccepts(path)).toBe(true);
  });

  test("records each entry's offset, length and SHA-256", async () => {
    await using folder = createTempFolder();
    const path = join(folder.path, "volume");
    const { offsets, sizeBytes, sha256 } = await writeVolume(path, FIRST, entries());
    const bytes = await Bun.file(path).bytes();
    expect(sizeBytes).toBe(bytes.length);
    expect(sha256).toBe(new Bun.CryptoHasher("sha256").update(bytes).digest("hex"));
    const start = offsets[0] ?? 0;
    expect(crc32(bytes.subarray(start, start + contents[0].length))).toBe(crc32(contents[0]));
  });

  test("has the same bytes whenever it is written", async () => {
    await using folder = createTempFolder();
    const first = await writeVolume(join(folder.path, "1"), FIRST, entries());
    const again = await writeVolume(join(folder.path, "2"), FIRST, entries());
    expect(again.sha256).toBe(first.sha256);
  });

  test("copies entries out of a file without reading them into memory first", async () => {
    await using folder = createTempFolder();
    const content = pattern(9_000_000, 5);
    writeFileSync(join(folder.path, "source"), Buffer.concat([new Uint8Array(11), content]));
    const fd = openSync(join(folder.path, "source"), "r");
    const [entry] = stored(content);
    await writeVolume(join(folder.path, "volume"), FIRST, [[entry, { fd, offset: 11 }]]);
    closeSync(fd);
    const [bytes] = Object.values(unzipSync(await Bun.file(join(folder.path, "volume")).bytes()));
    expect(bytes && crc32(bytes)).toBe(crc32(content));
  });

  test("is not finished if an entry is shorter than it says", async () => {
    await using folder = createTempFolder();
    const [entry] = stored(pattern(100, 3));
    const write = writeVolume(join(folder.path, "volume"), FIRST, [[entry, { bytes: new Uint8Array(99) }]]);
    await expect(write).rejects.toBeInstanceOf(RangeError);
  });

  test("never overwrites a file", async () => {
    await using folder = createTempFolder();
    writeFileSync(join(folder.path, "volume"), "taken");
    expect(() => new VolumeWriter(join(folder.path, "volume"), FIRST)).toThrow();
  });

  test("holds more than 65,535 instances (ZIP64)", async () => {
    await using folder = createTempFolder();
    const path = join(folder.path, "volume.zip");
    await writeVolume(
      path,
      FIRST,
      Array.from({ length: 65_536 }, () => stored(Uint8Array.of(1))),
    );
    using file = new FileWindow(path);
    const archive = openZip(file);
    expect(archive.entryCount).toBe(65_536);
    expect(Array.from(archive.entries()).at(-1)?.name).toBe("DICOM/00000000000a/00065536.dcm");
    if (Bun.which("unzip")) expect(unzipAccepts(path)).toBe(true);
  });
});

describe("the download of a study", () => {
  async function volumes(folder: string) {
    const made = [
      { id: FIRST, path: join(folder, "1"), entries: [stored(pattern(1000, 3)), deflated(pattern(5000, 5))] },
      { id: SECOND, path: join(folder, "2"), entries: [stored(pattern(700, 7))] },
    ];
    for (const { id, path, entries } of made) await writeVolume(path, id, entries);
    return Promise.all(made.map(async ({ id, path }) => ({ id, bytes: await Bun.file(path).bytes() })));
  }
  const inMemory = (made: { id: string; bytes: Uint8Array }[]) =>
    made.map((v) => volumeInMemory(v.id, v.bytes));

  test("is the volume itself if there is only one", async () => {
    await using folder = createTempFolder();
    const [first] = await volumes(folder.path);
    if (!first) throw new Error("none");
    const plan = await planDownload([volumeInMemory(first.id, first.bytes)]);
    const range = { offset: 0, length: first.bytes.length };
    expect(plan).toEqual({ sizeBytes: first.bytes.length, parts: [{ volumeIndex: 0, range }] });
  });

  test("is one ZIP with the instances of all volumes, each bit for bit", async () => {
    await using folder = createTempFolder();
    const made = await volumes(folder.path);
    const plan = await planDownload(inMemory(made));
    const zip = assemble(
      plan.parts,
      made.map(({ bytes }) => bytes),
    );
    expect(zip.length).toBe(plan.sizeBytes);
    const files = unzipSync(zip);
    expect(Object.values(files).map((bytes) => crc32(bytes))).toEqual(
      [pattern(1000, 3), pattern(5000, 5), pattern(700, 7)].map((bytes) => crc32(bytes)),
    );
    const path = join(folder.path, "joined.zip");
    writeFileSync(path, zip);
    if (Bun.which("unzip")) expect(unzipAccepts(path)).toBe(true);
  });

  test("resumes at any byte", async () => {
    await using folder = createTempFolder();
    const made = await volumes(folder.path);
    const bytes = made.map((volume) => volume.bytes);
    const plan = await planDownload(inMemory(made));
    const zip = assemble(plan.parts, bytes);
    fc.assert(
      fc.property(fc.nat(zip.length), fc.nat(zip.length), (a, b) => {
        const [offset, end] = [Math.min(a, b), Math.max(a, b)];
        const sliced = assemble(slicePlan(plan, { offset, length: end - offset }), bytes);
        expect(Buffer.compare(sliced, zip.subarray(offset, end))).toBe(0);
      }),
    );
    expect(() => slicePlan(plan, { offset: zip.length, length: 1 })).toThrow(RangeError);
  });

  test("names entries beyond 4 GiB where they are (ZIP64)", async () => {
    const volume = (id: string, contentBytes: number): JoinVolume => {
      const entry = { method: 0 as const, crc32: 5, storedBytes: contentBytes, sizeBytes: contentBytes };
      const named = { ...entry, name: `DICOM/${id.slice(-12)}/00000001.dcm` };
      const centralOffset = encodeLocalHeader(named).length + contentBytes;
      const central = encodeCentralHeader(named, 0);
      const end = encodeEndRecords({ entryCount: 1, centralBytes: central.length, centralOffset });
      const tail = Buffer.concat([central, end]);
      const sizeBytes = centralOffset + tail.length;
      return {
        id,
        sizeBytes,
        read: async ({ offset, length }) => {
          // The bytes in front of the directory do not matter to the plan.
          const from = offset - centralOffset;
          const padding = new Uint8Array(Math.max(0, Math.min(-from, length)));
          return Buffer.concat([padding, tail.subarray(Math.max(0, from), Math.max(0, from + length))]);
        },
      };
    };
    const plan = await planDownload([
      volume(FIRST, 3 * GIB),
      volume(SECOND, 5 * GIB),
      volume(FIRST.replace("a", "c"), 9),
    ]);
    const last = plan.parts.at(-1);
    if (!last || !("bytes" in last)) throw new Error("no directory");
    const offsets: number[] = [];
    for (let at = 0, i = 0; i < 3; i++) {
      const decoded = decodeCentralHeader(last.bytes, at);
      if (!decoded || decoded === "invalid") throw new Error("not a header");
      offsets.push(decoded.header.headerOffset);
      at += decoded.byteLength;
    }
    expect(offsets[0]).toBe(0);
    expect(offsets[1]).toBeGreaterThan(3 * GIB);
    expect(offsets[2]).toBeGreaterThan(8 * GIB);
  });

  test("is refused if a volume is damaged or named twice", async () => {
    await using folder = createTempFolder();
    const [first] = await volumes(folder.path);
    if (!first) throw new Error("none");
    const sound = volumeInMemory(first.id, first.bytes);
    await expect(
      planDownload([sound, volumeInMemory(SECOND, first.bytes.subarray(0, -1))]),
    ).rejects.toBeInstanceOf(ZipError);
    await expect(planDownload([sound, sound])).rejects.toBeInstanceOf(ZipError);
  });
});

test("the directory of a volume is read without a piece that has nothing of it", async () => {
  await using folder = createTempFolder();
  const path = join(folder.path, "volume");
  {
    await using writer = new VolumeWriter(path, Bun.randomUUIDv7());
    const bytes = new Uint8Array(29_500);
    const sizes = { storedBytes: bytes.length, sizeBytes: bytes.length };
    for (let count = 0; count < 9; count++)
      await writer.add({ method: 0, crc32: crc32(bytes), ...sizes }, { bytes });
    await writer.finish();
  }
  const bytes = await Bun.file(path).bytes();
  const lastPieceAt = bytes.length - (bytes.length % PIECE_BYTES);
  const ranges: ByteRange[] = [];
  const read = async (range: ByteRange) => {
    ranges.push(range);
    return bytes.subarray(range.offset, range.offset + range.length);
  };
  const { headers } = await readVolumeDirectory({ id: FIRST, sizeBytes: bytes.length, read });
  expect([...headers]).toHaveLength(9);
  expect(bytes.length - lastPieceAt).toBeLessThan(32 * 1024);
  expect(ranges).toEqual([{ offset: lastPieceAt, length: bytes.length - lastPieceAt }]);
});
