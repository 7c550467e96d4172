import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { open as openFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import type { ArrivingBytes } from "../../../src/server/features/ingest/resumable/arriving-bytes.ts";
import { createArrivingFiles } from "../../../src/server/features/ingest/resumable/arriving-file.ts";
import type { ResumableUpload } from "../../../src/server/features/ingest/resumable/resumable-uploads.table.ts";
import { SideSums } from "../../../src/server/features/ingest/resumable/side-sums.ts";
import type { SpoolRoom } from "../../../src/server/features/ingest/spool-writer.ts";
import type { ArrivingSums } from "../../../src/server/features/ingest/worker/arriving-sums.ts";
import { ArrivingVolume } from "../../../src/server/features/ingest/worker/arriving-volume.ts";
import { guessVolume } from "../../../src/server/features/ingest/worker/guess-volume.ts";
import { DEFAULT_INGEST_LIMITS } from "../../../src/server/features/ingest/worker/ingest-limits.ts";
import {
  createIngestWorkers,
  type IngestWorkers,
} from "../../../src/server/features/ingest/worker/ingest-workers.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { planFor, slice } from "../../support/zip/ingest-bench.ts";
import { type TestEntry, type TestZipOptions, writeTestZip } from "../../support/zip/zip-archive.ts";

const folder = createTempFolder();
let workers: IngestWorkers;
beforeAll(() => {
  workers = startWorkers();
});
afterAll(async () => {
  await workers.close();
  await folder[Symbol.asyncDispose]();
});

const startWorkers = (command?: string[]) =>
  createIngestWorkers({ size: 2, log: { info() {}, warn() {} }, ...(command && { command }) });
const room: SpoolRoom = { take: async () => {}, wrote() {} };
const never = new AbortController().signal;
const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

const instance = (n: number) =>
  slice(["1.1", "1.1.1", `1.1.1.${n}`], n, {
    [TagHex.Rows]: { vr: "US", Value: [64] },
    [TagHex.Columns]: { vr: "US", Value: [64] },
    [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array(8192).fill(n) },
  });
const entry = (n: number, more: Partial<TestEntry> = {}): TestEntry => ({
  name: `JOAO_DA_SILVA/EXAMES/TC/IMAGEM${n}`,
  content: instance(n),
  ...more,
});
const zip = Uint8Array.from(writeTestZip([1, 2, 3, 4].map((n) => entry(n))));

describe("the volume that arriving bytes become", () => {
  const beside = { name: "JOAO_DA_SILVA/DICOMDIR", content: new Uint8Array(20) };
  const picture = { name: "JOAO_DA_SILVA/capa.jpg", content: new Uint8Array(50) };
  const inner = { name: "JOAO_DA_SILVA/", content: new Uint8Array(0) };
  const zips: Record<string, [TestEntry[], TestZipOptions?]> = {
    "stored entries": [[entry(1), entry(2), entry(3)]],
    "deflated entries": [[entry(1, { method: 8 }), entry(2, { method: 8 })]],
    "what is no instance between them": [
      [inner, beside, entry(1), picture, ...[2, 3, 4, 5, 6, 7, 8].map((n) => entry(n)), beside],
    ],
    "a directory in another order, with a comment": [
      [entry(1), entry(2), entry(3)],
      { directory: [2, 0, 1], comment: Buffer.from("CD") },
    ],
  };

  test.each(Object.keys(zips))("is that of the whole ZIP, wherever it is cut: %s", async (name) => {
    const [entries = [], options] = zips[name] ?? [];
    const bytes = writeTestZip(entries, options);
    const guessed = await guessOf(bytes);
    expect(guessed).toBeDefined();
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 40 }), (cuts) => {
        expect(sumInPieces(bytes, cuts)).toEqual(guessed);
      }),
      { numRuns: 30 },
    );
    expect(sumInPieces(bytes, [...bytes.keys()].slice(0, 400))).toEqual(guessed);
  });

  test("is left to whoever reads the directory if a header does not tell sizes, or the file is no ZIP", () => {
    for (const bytes of [
      writeTestZip([entry(1), entry(2, { dataDescriptor: true })]),
      writeTestZip([entry(1, { flags: 1 }), entry(2)]),
      writeTestZip([entry(1, { method: 12 }), entry(2)]),
      writeTestZip([entry(1, { name: "IM1" }), entry(2)]),
      zip.subarray(0, zip.length >> 1),
      new Uint8Array(50_000),
      new Uint8Array(0),
    ])
      expect(sumInPieces(bytes, [1_000, 2_000])).toBeUndefined();
    expect(sumInPieces(zip, [], 3)).toBeUndefined();
  });
});

describe("chunks of an upload that is summed beside", () => {
  test("have their sums, and the upload becomes the volume that was summed as they came", async () => {
    const arriving = open();
    const upload = uploadOf(zip.length);
    for (const [start, end] of [
      [0, 10_000],
      [10_000, 10_001],
      [10_001, zip.length],
    ] as const)
      expect(await receive(arriving, upload, zip.subarray(start, end))).toBe(
        sha256(zip.subarray(start, end)),
      );
    const uploadFolder = join(folder.path, Bun.randomUUIDv7());
    mkdirSync(uploadFolder);
    const path = join(uploadFolder, "spool");
    const { guessed } = await arriving.place(upload, path, { room, signal: never, isFirst: true });
    expect(guessed).toEqual(await guessOf(zip, guessed?.volumeId));
    const session = await workers.open(uploadFolder, path, DEFAULT_INGEST_LIMITS, never);
    const scan = await session.scan(guessed);
    const built = await session.build(planFor({ ...scan, ...(guessed && { guessed }) }, uploadFolder));
    const volume = built.studies[0]?.volume;
    expect(volume).toMatchObject({ id: guessed?.volumeId ?? "", sha256: guessed?.sha256 ?? "" });
    expect(sha256(await readFile(volume?.path ?? ""))).toBe(guessed?.sha256 ?? "");
    await session.dispose();
  });

  test("that were not kept are not part of the volume", async () => {
    const arriving = open();
    const upload = uploadOf(zip.length);
    await receive(arriving, upload, zip.subarray(0, 5_000));
    const damaged = zip.slice(5_000, 9_000).fill(7);
    expect(await receive(arriving, upload, damaged, { isKept: false })).toBe(sha256(damaged));
    const rest = zip.subarray(5_000);
    expect(await receive(arriving, upload, rest)).toBe(sha256(rest));
    expect((await place(arriving, upload)).guessed).toBeUndefined();
  });

  test("that come again, since the last ones are gone, are summed anew", async () => {
    const arriving = open();
    const upload = uploadOf(zip.length);
    await receive(arriving, upload, zip.subarray(0, 5_000));
    upload.receivedBytes = 2_000;
    const rest = zip.subarray(2_000);
    expect(await receive(arriving, upload, rest)).toBe(sha256(rest));
    expect((await place(arriving, upload)).guessed).toBeUndefined();
  });

  test("have sums of their own right behind bytes that have none", async () => {
    const path = join(folder.path, Bun.randomUUIDv7());
    writeFileSync(path, zip);
    const sums = await freeSums(path);
    sums.reach(4_000, "volume");
    sums.reach(6_000, "chunk");
    expect(await sums.chunkSum(7_000)).toBe(sha256(zip.subarray(4_000, 7_000)));
    sums.reach(zip.length, "volume");
    const volume = await sums.finish();
    expect(volume).toEqual(await guessOf(zip, volume?.volumeId));
  });

  test("may be saved while more is added, and what is saved is on the disk", async () => {
    const arriving = open();
    const upload = uploadOf(zip.length);
    await using landing = await arriving.open(upload, room);
    landing.sumVolume();
    for (let at = 0; at < zip.length; at += 1_000) {
      await landing.give(zip.slice(at, at + 1_000));
      if (at !== 9_000) continue;
      const saving = landing.save();
      await landing.give(zip.slice(10_000, 11_000));
      at += 1_000;
      const { end } = await saving;
      expect(end).toBeGreaterThanOrEqual(10_000);
      expect(await arriving.countKept({ ...upload, receivedBytes: end })).toBe(end);
    }
    expect((await landing.save()).end).toBe(zip.length);
    upload.receivedBytes = zip.length;
    const { guessed } = await place(arriving, upload);
    expect(guessed).toEqual(await guessOf(zip, guessed?.volumeId));
  });

  test("are saved once the medium has them, with the names of the file and its folder", async () => {
    const upload = uploadOf(zip.length);
    const file = await openFile(import.meta.path);
    const handles = Object.getPrototypeOf(file) as typeof file;
    await file.close();
    const medium = Promise.withResolvers<void>();
    using data = spyOn(handles, "datasync").mockReturnValue(medium.promise);
    using names = spyOn(handles, "sync");
    await using landing = await open().open(upload, room);
    await landing.give(zip.slice());
    let isSaved = false;
    const saving = landing.save().then(() => {
      isSaved = true;
    });
    while (data.mock.calls.length === 0 && !isSaved) await setImmediate();
    await setImmediate();
    expect(isSaved).toBe(false);
    medium.resolve();
    await saving;
    expect([data.mock.calls.length, names.mock.calls.length]).toEqual([1, 2]);
    await landing.save();
    expect(names.mock.calls).toHaveLength(2);
  });

  test("are summed in turn while another upload is summed beside, and both are right", async () => {
    const arriving = open();
    const [one, other] = [uploadOf(zip.length), uploadOf(zip.length)];
    for (const [start, end] of [
      [0, 7_000],
      [7_000, zip.length],
    ] as const) {
      const bytes = zip.subarray(start, end);
      const sums = await Promise.all([receive(arriving, one, bytes), receive(arriving, other, bytes)]);
      expect(sums).toEqual([sha256(bytes), sha256(bytes)]);
    }
    const guesses = [await place(arriving, one), await place(arriving, other)].map(({ guessed }) => guessed);
    expect(guesses.filter(Boolean)).toHaveLength(1);
  });

  test("are summed from the file if the process that sums them is lost", async () => {
    const dying = startWorkers(["/bin/sh", "-c", "exit 1"]);
    const arriving = open(dying);
    const upload = uploadOf(zip.length);
    expect(await receive(arriving, upload, zip)).toBe(sha256(zip));
    expect((await place(arriving, upload)).guessed).toBeUndefined();
    await dying.close();
  });

  test("leave the process to the next upload once theirs is whole, dismissed, or goes on elsewhere", async () => {
    const arriving = open();
    const whole = uploadOf(zip.length);
    await receive(arriving, whole, zip);
    expect((await place(arriving, whole)).guessed).toBeDefined();
    const dismissed = uploadOf(zip.length);
    await receive(arriving, dismissed, zip.subarray(0, 100));
    await arriving.remove(dismissed.id);
    const next = uploadOf(zip.length);
    await (await freeSums("/dev/null")).end();
    await receive(arriving, next, zip);
    expect((await place(arriving, next)).guessed).toBeDefined();
  });
});

/** A sender is as slow here as the machine. */
const PATIENT_MS = 240_000;

/** Waits until no other file is summed. */
async function freeSums(path: string): Promise<ArrivingSums> {
  for (let tries = 0; tries < 200; tries++) {
    const sums = workers.sumArriving(path, DEFAULT_INGEST_LIMITS);
    if (sums) return sums;
    await Bun.sleep(5);
  }
  throw new Error("another file is summed");
}

function open(by: IngestWorkers = workers): ArrivingBytes {
  const arrivingDir = join(folder.path, Bun.randomUUIDv7());
  mkdirSync(arrivingDir);
  return createArrivingFiles({ node: { arrivingDir } }, new SideSums(by, 0, PATIENT_MS));
}

function uploadOf(sizeBytes: number): ResumableUpload {
  return { id: Bun.randomUUIDv7(), sizeBytes, receivedBytes: 0 } as ResumableUpload;
}

/** Lands `bytes` in pieces of the memory of their own. Returns the sum that the server finds. */
async function receive(
  arriving: ArrivingBytes,
  upload: ResumableUpload,
  bytes: Uint8Array,
  { isKept = true } = {},
): Promise<string> {
  await using landing = await arriving.open(upload, room);
  const sum = landing.openSum();
  for (let at = 0; at < bytes.length; at += 3_000) {
    const piece = bytes.slice(at, at + 3_000);
    sum.update(piece);
    await landing.give(piece);
  }
  const digest = await sum.digest();
  if (!isKept) return digest;
  await landing.save();
  upload.receivedBytes += bytes.length;
  return digest;
}

const place = (arriving: ArrivingBytes, upload: ResumableUpload) =>
  arriving.place(upload, join(folder.path, Bun.randomUUIDv7()), { room, signal: never, isFirst: true });

const VOLUME = "0198c0de-0000-7000-8000-00000000000a";

async function guessOf(bytes: Uint8Array, volumeId = VOLUME) {
  const spoolPath = join(folder.path, Bun.randomUUIDv7());
  writeFileSync(spoolPath, bytes);
  return await guessVolume({ spoolPath, volumeId, limits: DEFAULT_INGEST_LIMITS });
}

function sumInPieces(bytes: Uint8Array, cuts: readonly number[], maxEntries = 1_000) {
  const volume = new ArrivingVolume(VOLUME, maxEntries);
  // Reads end where what is in memory does.
  for (const end of [...cuts, bytes.length].sort((a, b) => a - b))
    volume.advance(
      (offset, length) => bytes.subarray(offset, Math.min(offset + length, offset + 777, end)),
      end,
    );
  return volume.finish();
}
