import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { unzipSync } from "fflate";
import { packFolder } from "../../../src/client/features/upload/pack-folder/pack-folder.ts";
import { decodeManifestIndex } from "../../../src/server/archive/manifest-codec.ts";
import { IngestRefused } from "../../../src/server/features/ingest/worker/worker.errors.ts";
import type {
  BuiltUpload,
  IngestLimits,
} from "../../../src/server/features/ingest/worker/worker-messages.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import {
  createIngestBench,
  type IngestBench,
  manifestsOf,
  multiFrame,
  planFor,
  slice,
  storedInstances,
} from "../../support/zip/ingest-bench.ts";
import { type TestEntry, writeTestZip } from "../../support/zip/zip-archive.ts";

let bench: IngestBench;
beforeAll(() => {
  bench = createIngestBench();
});
afterAll(() => bench[Symbol.asyncDispose]());

const STUDY = "1.1";
const sopOf = (n: number) => `1.1.1.${n}`;

/** Large enough that its header may be a little longer than it need be. */
function instance(n: number, study = STUDY, side = 64): Uint8Array {
  return slice([study, `${study}.1`, sopOf(n)], n, {
    [TagHex.Rows]: { vr: "US", Value: [side] },
    [TagHex.Columns]: { vr: "US", Value: [side] },
    [TagHex.PixelData]: { vr: "OW", bytes: randomBytes(2 * side * side) },
  });
}

const nameOf = (n: number) => `JOAO_DA_SILVA/EXAMES/CT/IMAGEM${n}`;
const entry = (n: number, more: Partial<TestEntry> = {}): TestEntry => ({
  name: nameOf(n),
  content: instance(n),
  ...more,
});

/** Whether the volume is the very file that was received. */
async function ingestAndCompare(zip: Uint8Array, limits: Partial<IngestLimits> = {}) {
  await using uploaded = await bench.upload(zip, limits);
  const { ino } = statSync(join(uploaded.folder, "spool"));
  const scan = await uploaded.session.scan();
  const built = await uploaded.session.build(planFor(scan, uploaded.folder));
  const paths = built.studies.flatMap(({ volume }) => volume?.path ?? []);
  return { scan, built, isSpool: paths.some((path) => statSync(path).ino === ino), folder: uploaded.folder };
}

async function expectWhole(built: BuiltUpload, entries: readonly TestEntry[]): Promise<void> {
  const stored = await storedInstances(built);
  expect([...stored.values()].map((bytes) => crc32(bytes)).sort()).toEqual(
    entries.map(({ content }) => crc32(content)).sort(),
  );
  for (const { volume, series } of built.studies) {
    const bytes = await Bun.file(volume?.path ?? "").bytes();
    expect(volume?.sizeBytes).toBe(bytes.length);
    expect(volume?.sha256).toBe(new Bun.CryptoHasher("sha256").update(bytes).digest("hex"));
    const files = Object.entries(unzipSync(bytes));
    const count = series.reduce((sum, { newInstances }) => sum + newInstances, 0);
    expect(files).toHaveLength(count);
    const digits = volume?.id.replaceAll("-", "").slice(-12);
    for (const [name] of files) expect(name).toMatch(new RegExp(`^DICOM/${digits}/[0-9]{8,11}\\.dcm$`));
    expect(Buffer.from(bytes).includes("JOAO_DA_SILVA")).toBe(false);
    for (const { manifest, newInstances } of series) {
      const { instances } = decodeManifestIndex(await Bun.file(manifest.path).bytes());
      expect(instances.filter(({ volumeId }) => volumeId === volume?.id)).toHaveLength(newInstances);
    }
  }
}

describe("an upload with the same contents as its volume", () => {
  test("is written once: the file received becomes the volume", async () => {
    const cases: [TestEntry[], Parameters<typeof writeTestZip>[1]?][] = [
      [[entry(1), entry(2), entry(3)]],
      [[entry(1, { method: 8 }), entry(2), entry(3, { method: 8 })]],
      [[entry(1), entry(2), entry(3)], { directory: [2, 0, 1] }],
      [[entry(1, { dataDescriptor: true }), entry(2, { dataDescriptor: true })]],
      [[entry(1), entry(2)], { prefix: new Uint8Array(40), comment: Buffer.from("JOAO_DA_SILVA") }],
    ];
    for (const [entries, options] of cases) {
      const { built, isSpool, folder } = await ingestAndCompare(writeTestZip(entries, options));
      expect(isSpool).toBe(true);
      expect(existsSync(join(folder, "spool"))).toBe(false);
      expect(readdirSync(folder)).toHaveLength(2);
      await expectWhole(built, entries);
    }
  });

  test("is written once when the page packs a folder, however short its names", async () => {
    const names = ["I1", "exame/I2", `${nameOf(3)} e mais`];
    const files = names.map((path, i) => ({ path, file: new Blob([instance(i + 1).slice()]) }));
    const pieces: Uint8Array[] = [];
    await packFolder(files, async (piece) => {
      pieces.push(piece);
    });
    const { built, isSpool, scan } = await ingestAndCompare(Buffer.concat(pieces));
    expect([isSpool, scan.instanceCount]).toEqual([true, 3]);
    const contents = await Promise.all(files.map(({ file }) => file.bytes()));
    await expectWhole(
      built,
      contents.map((content) => ({ name: "", content })),
    );
  });

  test("is written once when it has a few other files, of which nothing stays", async () => {
    const kept = [entry(1), entry(2)];
    const note = Buffer.from("Paciente JOAO_DA_SILVA");
    const entries = [
      { name: "JOAO_DA_SILVA/", content: new Uint8Array(0) },
      ...kept.slice(0, 1),
      { name: "JOAO_DA_SILVA/leia.txt", content: note },
      ...kept.slice(1),
      { name: "JOAO_DA_SILVA/fim.txt", content: Buffer.concat([note, new Uint8Array(200_000)]) },
    ];
    const { built, isSpool, scan } = await ingestAndCompare(writeTestZip(entries));
    expect([isSpool, scan.skippedCount]).toEqual([true, 2]);
    await expectWhole(built, kept);
  });
});

describe("an upload is copied to its volume without loss if it has", () => {
  const cases: [why: string, entries: () => TestEntry[], kept?: number[]][] = [
    ["names too short for those of a volume", () => [entry(1, { name: "IM1" }), entry(2, { name: "IM2" })]],
    ["much besides", () => [entry(1), { name: "leia.txt", content: new Uint8Array(5000) }, entry(2)], [0, 2]],
    [
      "several studies",
      () => [entry(1), entry(2, { content: instance(2, "1.2") }), entry(3, { content: instance(3, "1.3") })],
    ],
    [
      "an instance of several frames that is deflated",
      () => [entry(1), entry(2, { content: multiFrame([STUDY, "1.1.1", sopOf(2)], 40), method: 8 })],
    ],
    [
      "an entry that contradicts itself",
      () => [entry(1), entry(2, { local: { method: 8 } }), entry(3)],
      [0, 2],
    ],
    ["an entry that is damaged", () => [entry(1), entry(2, { central: { crc32: 1 } }), entry(3)], [0, 2]],
  ];
  for (const [why, entriesOf, kept] of cases) {
    test(why, async () => {
      const entries = entriesOf();
      const { built, isSpool } = await ingestAndCompare(writeTestZip(entries));
      expect(isSpool).toBe(false);
      await expectWhole(
        built,
        (kept ?? [...entries.keys()]).map((i) => entries[i] as TestEntry),
      );
    });
  }

  test("an instance twice", async () => {
    const twice = instance(1);
    const entries = [entry(1, { content: twice }), entry(5, { content: twice }), entry(2)];
    const { built, isSpool } = await ingestAndCompare(writeTestZip(entries));
    expect(isSpool).toBe(false);
    expect(built.studies[0]).toMatchObject({ newInstances: 2, duplicates: 1 });
    await expectWhole(built, [entries[0], entries[2]] as TestEntry[]);
  });

  test("a large deflated instance of several frames, inflated beside it", async () => {
    const content = multiFrame([STUDY, "1.1.1", sopOf(1)], 40);
    const zip = writeTestZip([{ name: nameOf(1), content, method: 8 }]);
    const { built, folder } = await bench.ingest(zip, undefined, { maxHeldBytes: 1000 });
    expect(existsSync(join(folder, "spool"))).toBe(true);
    await expectWhole(built, [{ name: "", content }]);
  });

  test("instances of which the study has some already", async () => {
    const [one, two] = [entry(1), entry(2)];
    const first = await ingestAndCompare(writeTestZip([one]));
    const zip = writeTestZip([one, two]);
    const { built, folder } = await bench.ingest(zip, await manifestsOf(first.built));
    expect(existsSync(join(folder, "spool"))).toBe(true);
    expect(built.studies[0]).toMatchObject({ newInstances: 1, duplicates: 1 });
    expect(crc32((await storedInstances(built)).get(sopOf(2)) ?? "")).toBe(crc32(two.content));
  });
});

describe("a study that changed before the commit", () => {
  const entries = [entry(1), entry(2), entry(3)];

  test("is built again from the file that became its volume", async () => {
    await using uploaded = await bench.upload(writeTestZip(entries));
    const scan = await uploaded.session.scan();
    const first = planFor(scan, uploaded.folder);
    await uploaded.session.build(first);
    expect(existsSync(join(uploaded.folder, "spool"))).toBe(false);
    for (let again = 0; again < 2; again++) {
      const built = await uploaded.session.build(planFor(scan, uploaded.folder));
      expect(existsSync(join(uploaded.folder, "spool"))).toBe(false);
      expect(readdirSync(uploaded.folder)).toHaveLength(2);
      await expectWhole(built, entries);
    }
    expect(existsSync(first.studies[0]?.volume.path ?? "")).toBe(false);
  });

  test("never loses an instance that was there before, however small it is", async () => {
    const tiny = entry(2, { content: instance(2, STUDY, 2) });
    const mixed = [entry(1, { content: instance(1, STUDY, 256) }), tiny, entry(3)];
    const existing = await manifestsOf((await ingestAndCompare(writeTestZip([tiny]))).built);
    await using uploaded = await bench.upload(writeTestZip(mixed));
    const scan = await uploaded.session.scan();
    for (const known of [existing, undefined, existing, undefined]) {
      const built = await uploaded.session.build(planFor(scan, uploaded.folder, known));
      await expectWhole(built, known ? mixed.toSpliced(1, 1) : mixed);
    }
  });

  test("never loses an instance of another study, however small it is", async () => {
    const tiny = entry(2, { content: instance(2, "1.2", 2) });
    const mixed = [entry(1, { content: instance(1, STUDY, 256) }), tiny, entry(3)];
    const { built, isSpool } = await ingestAndCompare(writeTestZip(mixed));
    expect(isSpool).toBe(false);
    await expectWhole(built, mixed);
  });

  test("takes only its new instances, and all of them once the others are deleted", async () => {
    const other = await ingestAndCompare(writeTestZip(entries.slice(1, 2)));
    const existing = await manifestsOf(other.built);
    await using uploaded = await bench.upload(writeTestZip(entries));
    const scan = await uploaded.session.scan();
    const wholly = () => uploaded.session.build(planFor(scan, uploaded.folder));
    const partly = () => uploaded.session.build(planFor(scan, uploaded.folder, existing));
    await expectWhole(await wholly(), entries);
    for (let again = 0; again < 2; again++) {
      const built = await partly();
      expect(built.studies[0]).toMatchObject({ newInstances: 2, duplicates: 1 });
      expect([...(await storedInstances(built)).keys()].sort()).toEqual([sopOf(1), sopOf(3)]);
      await expectWhole(await wholly(), entries);
    }
    const all = await manifestsOf(await wholly());
    const { studies } = await uploaded.session.build(planFor(scan, uploaded.folder, all));
    expect(studies[0]).toMatchObject({ newInstances: 0, duplicates: 3 });
    expect(readdirSync(uploaded.folder)).toEqual(["spool"]);
  });
});

describe("a large upload, hashed while it is read", () => {
  const large = { minGuessedBytes: 0 };

  test("becomes the volume that was hashed", async () => {
    for (const more of [{}, { method: 8 }, { dataDescriptor: true }]) {
      const entries = [entry(1, more), entry(2, more), entry(3, more)];
      const beside = { name: "JOAO_DA_SILVA/DICOMDIR", content: new Uint8Array(20) };
      const { built, scan, isSpool } = await ingestAndCompare(writeTestZip([beside, ...entries]), large);
      expect(isSpool).toBe(true);
      expect(built.studies[0]?.volume).toMatchObject({
        id: scan.guessed?.volumeId ?? "",
        sha256: scan.guessed?.sha256 ?? "",
      });
      await expectWhole(built, entries);
    }
  });

  test("is hashed again if a file in it looked like an instance and is not one", async () => {
    const kept = [entry(1), entry(2), entry(3)];
    const beside = { name: "JOAO_DA_SILVA/EXAMES/CT/IMAGEMX", content: new Uint8Array(20) };
    for (const at of [0, 1, 3]) {
      const entries = kept.toSpliced(at, 0, beside);
      const { built, scan, isSpool } = await ingestAndCompare(writeTestZip(entries), large);
      expect(isSpool).toBe(true);
      expect(scan.guessed).toBeDefined();
      expect(built.studies[0]?.volume?.sha256).not.toBe(scan.guessed?.sha256);
      await expectWhole(built, kept);
    }
  });

  test("is still accepted if the process that hashes it dies", async () => {
    await using folder = createTempFolder();
    const worker = join(import.meta.dir, "../../../src/server/features/ingest/worker/ingest-worker.ts");
    const onlyTheFirst = `mkdir "$0" 2>/dev/null && exec "$@"`;
    const taken = join(folder.path, "taken");
    await using lone = createIngestBench(["/bin/sh", "-c", onlyTheFirst, taken, process.execPath, worker]);
    const entries = [entry(1), entry(2), entry(3)];
    const { scan, built } = await lone.ingest(writeTestZip(entries), undefined, large);
    expect(scan.guessed).toBeUndefined();
    await expectWhole(built, entries);
  });

  test("is copied if it can't become its volume, whether predicted or not", async () => {
    const several = [entry(1), entry(2, { content: instance(2, "1.2") })];
    const short = [entry(1, { name: "IM1" }), entry(2)];
    const frames = [entry(1, { content: multiFrame([STUDY, "1.1.1", sopOf(1)], 40), method: 8 })];
    for (const entries of [several, short, frames]) {
      const { built, isSpool } = await ingestAndCompare(writeTestZip(entries), large);
      expect(isSpool).toBe(false);
      await expectWhole(built, entries);
    }
  });

  test("is built again, whole or in part, after its study changed", async () => {
    const entries = [entry(1), entry(2), entry(3)];
    const existing = await manifestsOf((await ingestAndCompare(writeTestZip(entries.slice(1, 2)))).built);
    await using uploaded = await bench.upload(writeTestZip(entries), large);
    const scan = await uploaded.session.scan();
    for (const known of [undefined, existing, undefined, undefined]) {
      const built = await uploaded.session.build(planFor(scan, uploaded.folder, known));
      await expectWhole(built, known ? entries.toSpliced(1, 1) : entries);
      expect(readdirSync(uploaded.folder)).toHaveLength(known ? 3 : 2);
    }
  });

  test("is refused like any other if it is not a ZIP or breaks a limit", async () => {
    const refusal = async (zip: Uint8Array, limits: Partial<IngestLimits> = {}) => {
      const refused = await ingestAndCompare(zip, { ...large, ...limits }).catch((error: unknown) => error);
      return refused instanceof IngestRefused ? refused.failure : "not refused";
    };
    expect(await refusal(new Uint8Array(1000))).toBe("zip.not_zip");
    expect(await refusal(writeTestZip([entry(1), entry(2)]), { maxInstances: 1 })).toBe(
      "upload.too_many_instances",
    );
    const { isSpool } = await ingestAndCompare(writeTestZip([entry(1)]), large);
    expect(isSpool).toBe(true);
  });

  test.skipIf(process.platform !== "linux")("that is cancelled is read by nobody any more", async () => {
    const entries = [1, 2, 3].map((n) => entry(n, { content: instance(n, STUDY, 4096) }));
    // A busy machine may read it all between two looks; then it is uploaded again.
    for (let isCancelled = false; !isCancelled; ) {
      const cancel = new AbortController();
      const uploaded = await bench.upload(writeTestZip(entries), large, cancel.signal);
      let isRead = false;
      const scan = uploaded.session.scan().finally(() => {
        isRead = true;
      });
      while (!isRead && (await readersOf(uploaded.folder)) < 2) await Bun.sleep(1);
      cancel.abort(new Error("the client went away"));
      isCancelled = await scan.then(
        () => false,
        (error: Error) => error.message.includes("the client went away"),
      );
      await uploaded.session.dispose();
      expect(await readersOf(uploaded.folder)).toBe(0);
    }
  });
});

/** How many of our child processes have a file in `folder` open. */
async function readersOf(folder: string): Promise<number> {
  const children = await Bun.file(`/proc/self/task/${process.pid}/children`).text();
  let readers = 0;
  for (const pid of children.trim().split(" ").filter(Boolean)) {
    const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
    const files = await Promise.all(names.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => "")));
    if (files.some((file) => file.startsWith(folder))) readers++;
  }
  return readers;
}
