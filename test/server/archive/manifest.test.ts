import { describe, expect, test } from "bun:test";
import { deflateRawSync, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import {
  InstanceDamaged,
  inflatedDataSetPieces,
  instancePieces,
  readInstanceRange,
} from "../../../src/server/archive/instance-reader.ts";
import { ManifestError, ManifestTooLarge } from "../../../src/server/archive/manifest.errors.ts";
import type { ManifestInstance, SeriesManifest } from "../../../src/server/archive/manifest.ts";
import {
  decodeIndexSection,
  decodeManifest,
  decodeManifestIndex,
  encodeManifest,
  manifestLayout,
  mergeManifests,
  metadataSection,
  type SeriesContent,
} from "../../../src/server/archive/manifest-codec.ts";
import { joinPieces } from "../../../src/server/archive/pieces.ts";
import type { StudyLabel } from "../../../src/server/archive/study-label.ts";
import { readInstance } from "../../../src/server/dicom/read-instance.ts";
import { memorySource } from "../../../src/shared/dicom/reading/memory-source.ts";
import { DEFLATED, sampleFile } from "../../support/dicom/dicom-sample.ts";

function instance(sopInstanceUID: string, instanceNumber: number | null): ManifestInstance {
  return {
    sopInstanceUID,
    sopClassUID: "1.2.840.10008.5.1.4.1.1.2",
    transferSyntaxUID: "1.2.840.10008.1.2.1",
    instanceNumber,
    rows: 2,
    columns: null,
    volumeId: "0198c0de-0000-7000-8000-00000000000a",
    dataOffset: 77,
    storedBytes: 8,
    sizeBytes: 8,
    method: 0,
    crc32: 0xffffffff,
    frames: { kind: "native", frameCount: 1, offset: 0, frameBytes: 8 },
  };
}

function content(instances: ManifestInstance[], marker = "kept"): SeriesContent {
  const manifest: SeriesManifest = {
    version: 1,
    studyInstanceUID: "1.2",
    seriesInstanceUID: "1.2.3",
    instances,
  };
  return {
    manifest,
    metadataOf: ({ sopInstanceUID }) => Buffer.from(JSON.stringify({ sopInstanceUID, marker })),
  };
}

test("a manifest keeps the label of its study, and is read without one that is malformed", async () => {
  const label = {
    ...{ at: "2026-03-14T10:00:00.000Z", accountId: "a", emailHash: "b", studyId: "c" },
    ...{ createdAt: "2026-03-14T10:00:00.000Z", overrides: { patientName: "Maria" } },
  };
  const written = async (value: object) => {
    const { manifest, metadataOf: read } = content([instance("1", 1)]);
    const labelled = { ...manifest, label: value as StudyLabel };
    return decodeManifestIndex(await encodeManifest({ manifest: labelled, metadataOf: read }));
  };
  expect((await written(label)).label).toEqual(label);
  expect((await written({ ...label, overrides: { patientName: "Maria", age: 3 } })).label).toEqual(label);
  for (const broken of [{ ...label, accountId: 7 }, { ...label, overrides: undefined }, [], {}]) {
    const { label: read, instances } = await written(broken);
    expect([read, instances.length]).toEqual([undefined, 1]);
  }
});

const metadataOf = (bytes: Uint8Array) =>
  JSON.parse(Buffer.from(zstdDecompressSync(metadataSection(bytes))).toString());

describe("a series manifest", () => {
  test("returns its index, and its metadata as one zstd frame ready to be sent", async () => {
    const frames = {
      kind: "encapsulated",
      frameCount: 2,
      frames: [
        [[10, 4]],
        [
          [22, 4],
          [34, 6],
        ],
      ],
    } as const;
    const encapsulated = { ...instance("1.5", 2), frames } as unknown as ManifestInstance;
    const series = content([
      instance("1.4", 1),
      encapsulated,
      { ...instance("1.6", 3), frames: { kind: "none" } },
    ]);
    const bytes = await encodeManifest(series);
    expect(decodeManifestIndex(bytes)).toEqual(series.manifest);
    expect(metadataOf(bytes).map((json: { sopInstanceUID: string }) => json.sopInstanceUID)).toEqual([
      "1.4",
      "1.5",
      "1.6",
    ]);
    expect(metadataSection(bytes).buffer).toBe(bytes.buffer);
  });

  test("may be empty", async () => {
    const bytes = await encodeManifest(content([]));
    expect(metadataOf(bytes)).toEqual([]);
    expect((await decodeManifest(bytes)).manifest.instances).toEqual([]);
  });

  test("accepts metadata larger than one compressed piece", async () => {
    const long = "ã".repeat(400_000);
    const series = content([instance("1.4", 1), instance("1.5", 2)], long);
    const bytes = await encodeManifest(series);
    expect(metadataOf(bytes)[1].marker).toBe(long);
    const decoded = await decodeManifest(bytes);
    const [, second] = decoded.manifest.instances;
    if (!second) throw new Error("none");
    expect(JSON.parse(Buffer.from(decoded.metadataOf(second)).toString()).marker).toBe(long);
  });

  test("keeps existing instances, adds the new ones, and orders all by number, then UID", async () => {
    const kept = await decodeManifest(
      await encodeManifest(content([instance("1.10", 1), instance("1.12", 3)])),
    );
    const added = content(
      [instance("1.11", 2), instance("1.12", 3), instance("1.9", 3), instance("1.1", null)],
      "added",
    );
    const merged = await encodeManifest(mergeManifests(kept, added));
    expect(decodeManifestIndex(merged).instances.map((i) => i.sopInstanceUID)).toEqual([
      "1.10",
      "1.11",
      "1.12",
      "1.9",
      "1.1",
    ]);
    expect(metadataOf(merged).map((json: { marker: string }) => json.marker)).toEqual([
      "kept",
      "added",
      "kept",
      "added",
      "added",
    ]);
  });

  test("is never joined with that of another series", async () => {
    const other = content([]);
    other.manifest.studyInstanceUID = "9.9";
    expect(() => mergeManifests(content([]), other)).toThrow(ManifestError);
  });

  test("that is damaged is refused, never half read", async () => {
    const sound = await encodeManifest(content([instance("1.4", 1), instance("1.5", 2)]));
    const expected = decodeManifestIndex(sound);
    await fc.assert(
      fc.asyncProperty(fc.nat(sound.length - 1), fc.integer({ min: 1, max: 255 }), async (at, bits) => {
        const damaged = Uint8Array.from(sound);
        damaged[at] = (damaged[at] ?? 0) ^ bits;
        try {
          // A flipped bit in an unused part of a frame header may leave the content as it was.
          await decodeManifest(damaged);
          expect(decodeManifestIndex(damaged)).toEqual(expected);
          expect(metadataOf(damaged)).toEqual(metadataOf(sound));
        } catch (error) {
          expect(error).toBeInstanceOf(ManifestError);
        }
      }),
      { numRuns: 500 },
    );
    for (const cut of [0, 4, 39, 41, sound.length - 1]) {
      await expect(decodeManifest(sound.subarray(0, cut))).rejects.toBeInstanceOf(ManifestError);
    }
  });

  test("whose index would be too large is refused before anything of it is read", async () => {
    const header = Buffer.from((await encodeManifest(content([instance("1.4", 1)]))).subarray(0, 40));
    const indexBytes = Number(header.readBigUInt64LE(8));
    const objectBytes = 40 + indexBytes + Number(header.readBigUInt64LE(24));
    expect(manifestLayout(header, objectBytes).index.length).toBe(indexBytes);
    header.writeBigUInt64LE(BigInt(2 ** 30), 16);
    expect(() => manifestLayout(header, objectBytes)).toThrow(ManifestTooLarge);
  });

  test("that names impossible values is refused", async () => {
    const bad: Partial<Record<keyof ManifestInstance, unknown>>[] = [
      { method: 7 },
      { sizeBytes: -1 },
      { storedBytes: 9 },
      { dataOffset: 1.5 },
      { sopInstanceUID: 4 },
      { frames: { kind: "encapsulated", frameCount: 2, frames: [[[1, 2]]] } },
      { frames: { kind: "else" } },
    ];
    for (const change of bad) {
      const bytes = await encodeManifest(content([{ ...instance("1.4", 1), ...change } as ManifestInstance]));
      expect(() => decodeManifestIndex(bytes)).toThrow(ManifestError);
    }
  });
});

test("a series in which a former version wrote fewer frames than none is read, and has none of that image", async () => {
  const frames = { kind: "native" as const, frameCount: -6, offset: 742, frameBytes: -4 };
  const odd = { ...instance("1.4", 1), frames };
  const { instances } = decodeManifestIndex(await encodeManifest(content([odd, instance("1.5", 2)])));
  expect(instances.map(({ frames }) => frames.kind)).toEqual(["none", "native"]);
});

test("a series with more frames than bounded memory can read is never written, nor read from an old archive", async () => {
  const frames = Array.from({ length: 100_000 }, (_, i) => [[i * 10, 0]] as [number, number][]);
  const many = {
    ...instance("1.4", 1),
    frames: { kind: "encapsulated" as const, frameCount: frames.length, frames },
  };
  const bytes = await encodeManifest(content([many, { ...many, sopInstanceUID: "1.5" }]));
  expect(decodeManifestIndex(bytes).instances).toHaveLength(2);
  const uids = ["1.4", "1.5", "1.6", "1.7", "1.8"];
  const series = content(uids.map((sopInstanceUID) => ({ ...many, sopInstanceUID })));
  await expect(encodeManifest(series)).rejects.toBeInstanceOf(ManifestTooLarge);

  const index = Buffer.from(JSON.stringify({ ...series.manifest, metadataLengths: uids.map(() => 2) }));
  const header = Buffer.from(bytes.subarray(0, 40));
  const [packed, metadata] = [zstdCompressSync(index), zstdCompressSync("[{},{},{},{},{}]")];
  header.writeBigUInt64LE(BigInt(packed.length), 8);
  header.writeBigUInt64LE(BigInt(index.length), 16);
  header.writeBigUInt64LE(BigInt(metadata.length), 24);
  header.writeBigUInt64LE(16n, 32);
  const landed = Buffer.concat([header, packed, metadata]);
  expect(() => decodeManifestIndex(landed)).toThrow(ManifestTooLarge);
  const { index: section } = manifestLayout(header, landed.length);
  await expect(decodeIndexSection(packed, section)).rejects.toBeInstanceOf(ManifestTooLarge);
});

describe("the bytes of an instance", () => {
  const file = Uint8Array.from({ length: 5000 }, (_, i) => i >> 2);
  const volumeOf = (entry: Uint8Array) => Buffer.concat([new Uint8Array(77), entry, new Uint8Array(9)]);
  function reader(entry: Uint8Array) {
    const volume = volumeOf(entry);
    const reads: number[] = [];
    return {
      reads,
      read: async ({ offset, length }: { offset: number; length: number }) => {
        reads.push(length);
        return volume.subarray(offset, offset + length);
      },
      open: async ({ offset, length }: { offset: number; length: number }) =>
        new Blob([Uint8Array.from(volume.subarray(offset, offset + length))]),
    };
  }
  const storedInstance = { ...instance("1.4", 1), storedBytes: file.length, sizeBytes: file.length };

  test("come as one read of just these bytes if they are stored", async () => {
    const volume = reader(file);
    expect(await readInstanceRange(storedInstance, { offset: 100, length: 7 }, volume)).toEqual(
      file.slice(100, 107),
    );
    expect(volume.reads).toEqual([7]);
  });

  test("are inflated and cut if they are deflated", async () => {
    const entry = deflateRawSync(file);
    const deflatedInstance = { ...storedInstance, method: 8 as const, storedBytes: entry.length };
    const bytes = await readInstanceRange(deflatedInstance, { offset: 4990, length: 10 }, reader(entry));
    expect(Uint8Array.from(bytes)).toEqual(file.slice(4990));
  });

  test("are never more than the manifest says, nor different", async () => {
    const volume = reader(deflateRawSync(new Uint8Array(10_000_000)));
    const bomb = { ...storedInstance, method: 8 as const, storedBytes: 9000 };
    await expect(readInstanceRange(bomb, { offset: 0, length: 5000 }, volume)).rejects.toBeInstanceOf(
      InstanceDamaged,
    );
    const longer = {
      ...storedInstance,
      method: 8 as const,
      storedBytes: deflateRawSync(file).length,
      sizeBytes: 6000,
    };
    const wrong = readInstanceRange(longer, { offset: 0, length: 5 }, reader(deflateRawSync(file)));
    await expect(wrong).rejects.toBeInstanceOf(InstanceDamaged);
  });

  test("of a large deflated entry are inflated no further than they reach", async () => {
    const large = Buffer.concat([
      file,
      crypto.getRandomValues(new Uint8Array(65_536)),
      new Uint8Array(64 << 20),
    ]);
    const entry = deflateRawSync(large, { level: 1 });
    const described = {
      ...storedInstance,
      method: 8 as const,
      storedBytes: entry.length,
      sizeBytes: large.length,
    };
    let inflatedBytes = 0;
    for await (const piece of instancePieces(described, { offset: 10, length: 100 }, reader(entry))) {
      inflatedBytes += piece.length;
    }
    expect(inflatedBytes).toBe(100);
    const front = {
      ...reader(entry),
      open: async () => new Blob([Uint8Array.from(entry.subarray(0, 70_000))]),
    };
    expect(await readInstanceRange(described, { offset: 4000, length: 100 }, front)).toEqual(
      file.slice(4000, 4100),
    );
    await expect(readInstanceRange(described, { offset: 200_000, length: 9 }, front)).rejects.toBeInstanceOf(
      InstanceDamaged,
    );
  });

  test("outside the instance are refused", async () => {
    for (const range of [
      { offset: 4999, length: 2 },
      { offset: -1, length: 1 },
    ]) {
      await expect(readInstanceRange(storedInstance, range, reader(file))).rejects.toBeInstanceOf(RangeError);
    }
  });

  test("of a deflated data set are given inflated, so that its frames can be cut", async () => {
    const dicom = sampleFile({}, { transferSyntaxUID: DEFLATED });
    const found = readInstance(memorySource(dicom));
    if (!found.ok || found.instance.frames.kind !== "native") throw new Error("not read");
    const described = { ...instance("1.4", 1), storedBytes: dicom.length, sizeBytes: dicom.length };
    const { offset, frameBytes } = found.instance.frames;
    const range = { offset, length: frameBytes };
    const inflated = await joinPieces(inflatedDataSetPieces(described, range, reader(dicom)), frameBytes);
    expect(inflated).toEqual(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8));
    const all = inflatedDataSetPieces(described, { offset: 0, length: offset + frameBytes }, reader(dicom));
    expect((await joinPieces(all, offset + frameBytes))?.slice(offset)).toEqual(
      Uint8Array.from(inflated ?? []),
    );
  });
});
