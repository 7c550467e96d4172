import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import { unzipSync, zipSync } from "fflate";
import { decodeManifest, decodeManifestIndex } from "../../../src/server/archive/manifest-codec.ts";
import { guessVolume } from "../../../src/server/features/ingest/worker/guess-volume.ts";
import { DEFAULT_INGEST_LIMITS } from "../../../src/server/features/ingest/worker/ingest-limits.ts";
import { createIngestWorkers } from "../../../src/server/features/ingest/worker/ingest-workers.ts";
import { IngestRefused } from "../../../src/server/features/ingest/worker/worker.errors.ts";
import type { IngestLimits } from "../../../src/server/features/ingest/worker/worker-messages.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { DEFLATED, sampleFile } from "../../support/dicom/dicom-sample.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { until } from "../../support/until.ts";
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

const WORKER = join(import.meta.dir, "../../../src/server/features/ingest/worker/ingest-worker.ts");

let bench: IngestBench;

beforeAll(() => {
  bench = createIngestBench();
});
afterAll(() => bench[Symbol.asyncDispose]());

const ingest: IngestBench["ingest"] = (...given) => bench.ingest(...given);
const upload: IngestBench["upload"] = (...given) => bench.upload(...given);

async function refusal(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof IngestRefused) return error.failure;
    throw error;
  }
  return "not refused";
}

describe("an upload", () => {
  test("becomes one volume for each study and one manifest for each series, every instance bit for bit", async () => {
    const files = {
      "a/1": slice(["1.1", "1.1.1", "1.1.1.1"], 2),
      "a/2": slice(["1.1", "1.1.1", "1.1.1.2"], 1),
      "a/3": slice(["1.1", "1.1.2", "1.1.2.1"]),
      "b/1": slice(["1.2", "1.2.1", "1.2.1.1"]),
    };
    for (const level of [0, 6] as const) {
      const { scan, built } = await ingest(zipSync(files, { level }));
      expect(scan).toMatchObject({ instanceCount: 4, skippedCount: 0, skipped: [] });
      expect(scan.studies.map(({ studyInstanceUID }) => studyInstanceUID)).toEqual(["1.1", "1.2"]);
      expect(scan.studies[0]).toMatchObject({ modalities: ["CT"], index: { patientName: "Conceição^João" } });
      expect(built.studies.map(({ newInstances, series }) => [newInstances, series.length])).toEqual([
        [3, 2],
        [1, 1],
      ]);
      const stored = await storedInstances(built);
      expect([...stored.keys()]).toEqual(["1.1.1.2", "1.1.1.1", "1.1.2.1", "1.2.1.1"]);
      expect(crc32(stored.get("1.1.1.1") ?? "")).toBe(crc32(files["a/1"]));
      expect(crc32(stored.get("1.2.1.1") ?? "")).toBe(crc32(files["b/1"]));
    }
  });

  test("is described by sizes and SHA-256 of what is on the disk", async () => {
    const { built } = await ingest(zipSync({ a: slice(["1.1", "1.1.1", "1.1.1.1"]) }));
    const [study] = built.studies;
    for (const object of [study?.volume, study?.series[0]?.manifest]) {
      const bytes = await Bun.file(object?.path ?? "").bytes();
      expect(object?.sizeBytes).toBe(bytes.length);
      expect(object?.sha256).toBe(new Bun.CryptoHasher("sha256").update(bytes).digest("hex"));
    }
  });

  test("carries each instance's metadata in the order of its series", async () => {
    const { built } = await ingest(
      zipSync({ a: slice(["1.1", "1.1.1", "1.1.1.1"], 2), b: slice(["1.1", "1.1.1", "1.1.1.2"], 1) }),
    );
    const [bytes] = (await manifestsOf(built)).values();
    const { manifest, metadataOf } = await decodeManifest(bytes ?? new Uint8Array(0));
    const uids = manifest.instances.map(
      (i) => JSON.parse(Buffer.from(metadataOf(i)).toString())[TagHex.SOPInstanceUID].Value[0],
    );
    expect(uids).toEqual(["1.1.1.2", "1.1.1.1"]);
  });

  test("keeps an instance once, and counts it as a duplicate if the ZIP repeats it or the study has it already", async () => {
    const one = slice(["1.1", "1.1.1", "1.1.1.1"], 1);
    const two = slice(["1.1", "1.1.1", "1.1.1.2"], 2);
    const first = await ingest(zipSync({ a: one, again: one }));
    expect(first.built.studies[0]).toMatchObject({ newInstances: 1, duplicates: 1 });

    const existing = await manifestsOf(first.built);
    const second = await ingest(zipSync({ a: one, b: two }), existing);
    expect(second.built.studies[0]).toMatchObject({ newInstances: 1, duplicates: 1 });
    expect(second.built.studies[0]?.series).toMatchObject([{ newInstances: 1, instanceCount: 2 }]);
    const [merged] = (await manifestsOf(second.built)).values();
    const volumeIds = decodeManifestIndex(merged ?? new Uint8Array(0)).instances.map(
      ({ volumeId }) => volumeId,
    );
    expect(volumeIds).toEqual([
      first.built.studies[0]?.volume?.id,
      second.built.studies[0]?.volume?.id,
    ] as string[]);

    const third = await ingest(zipSync({ a: one }), await manifestsOf(second.built));
    expect(third.built.studies).toEqual([
      {
        studyInstanceUID: "1.1",
        newInstances: 0,
        duplicates: 1,
        duplicateNames: [],
        duplicateVolumes: [first.built.studies[0]?.volume?.id ?? ""],
        series: [],
        conflicts: [],
        leftOut: [],
      },
    ]);
    expect(readdirSync(third.folder)).toEqual(["spool"]);
  });

  test("may hold the same series UID in two studies", async () => {
    const { built } = await ingest(
      zipSync({ a: slice(["1.1", "7.7", "1.1.1.1"]), b: slice(["1.2", "7.7", "1.1.1.1"]) }),
    );
    expect(built.studies.map((s) => [s.studyInstanceUID, s.newInstances])).toEqual([
      ["1.1", 1],
      ["1.2", 1],
    ]);
  });

  test("can be built again with a newer plan, which leaves nothing of the first", async () => {
    await using uploaded = await upload(zipSync({ a: slice(["1.1", "1.1.1", "1.1.1.1"]) }));
    const scan = await uploaded.session.scan();
    await uploaded.session.build(planFor(scan, uploaded.folder));
    const plan = planFor(scan, uploaded.folder);
    await uploaded.session.build(plan);
    const [study] = plan.studies;
    const expected = ["spool", study?.volume.id, study?.series[0]?.manifest.id];
    expect(readdirSync(uploaded.folder).sort()).toEqual((expected as string[]).sort());
  });
});

describe("frames stay one range", () => {
  test("an instance of several frames is stored uncompressed, however the ZIP had it, even if it is too large for memory", async () => {
    const files = { a: multiFrame(["1.1", "1.1.1", "1.1.1.1"], 40), b: slice(["1.1", "1.1.1", "1.1.1.2"]) };
    for (const maxHeldBytes of [DEFAULT_INGEST_LIMITS.maxHeldBytes, 1000]) {
      for (const level of [0, 6] as const) {
        const { built } = await ingest(zipSync(files, { level }), undefined, { maxHeldBytes });
        const [bytes] = (await manifestsOf(built)).values();
        const { instances } = decodeManifestIndex(bytes ?? new Uint8Array(0));
        expect(instances.map(({ method }) => method)).toEqual([0, level === 0 ? 0 : 8]);
        expect(instances[0]?.frames).toMatchObject({ kind: "native", frameCount: 40, frameBytes: 8192 });
        const stored = await storedInstances(built);
        expect(crc32(stored.get("1.1.1.1") ?? "")).toBe(crc32(files.a));
        expect(crc32(stored.get("1.1.1.2") ?? "")).toBe(crc32(files.b));
      }
    }
  });

  test("a large single-frame instance stays deflated and leaves no temporary file", async () => {
    const large = slice(["1.1", "1.1.1", "1.1.1.1"], 1, {
      [TagHex.Rows]: { vr: "US", Value: [256] },
      [TagHex.Columns]: { vr: "US", Value: [256] },
      [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array(131_072) },
    });
    const uploaded = await ingest(zipSync({ a: large }), undefined, { maxHeldBytes: 1000 });
    expect(crc32((await storedInstances(uploaded.built)).get("1.1.1.1") ?? "")).toBe(crc32(large));
    expect(readdirSync(uploaded.folder)).toHaveLength(3);
  });

  test("a deflated data set is kept as received", async () => {
    const file = sampleFile({}, { transferSyntaxUID: DEFLATED });
    const { built } = await ingest(zipSync({ a: file }));
    expect(crc32((await storedInstances(built)).get("2.25.30") ?? "")).toBe(crc32(file));
  });
});

describe("a file is skipped and named", () => {
  const good: TestEntry = { name: "good", content: slice(["1.1", "1.1.1", "1.1.1.1"]) };
  async function skippedBeside(...entries: TestEntry[]) {
    await using uploaded = await upload(writeTestZip([good, ...entries]));
    const { instanceCount, skipped, skippedCount } = await uploaded.session.scan();
    expect([instanceCount, skippedCount]).toEqual([1, skipped.length]);
    return skipped.map(({ name, reason }) => [name, reason]);
  }
  const other = slice(["1.1", "1.1.1", "1.1.1.2"]);

  test("if it is a picture or text by name, or not DICOM by content; folders are not named", async () => {
    const skipped = await skippedBeside(
      { name: "folder/", content: new Uint8Array(0) },
      { name: "scan.jpg", content: other },
      { name: "leia-me.txt", content: other },
      { name: "AUTORUN.INF", content: new TextEncoder().encode("[autorun]") },
    );
    expect(skipped).toEqual([
      ["scan.jpg", "ignored_name"],
      ["leia-me.txt", "ignored_name"],
      ["AUTORUN.INF", "not_dicom"],
    ]);
  });

  test("but not for the name of its folder", async () => {
    const folders = ["fotos.jpg_originais/", "exame.txt copy/", "exame.txt copy\\"];
    const instances = folders.map((folder, i) => ({
      name: `${folder}IM${i}`,
      content: slice(["1.1", "1.1.1", `1.1.1.${i + 2}`]),
    }));
    const named = { name: "fotos.jpg_originais/IM.jpg.dcm", content: other };
    await using uploaded = await upload(writeTestZip([good, ...instances, named]));
    const { instanceCount, skipped } = await uploaded.session.scan();
    expect(instanceCount).toBe(4);
    expect(skipped).toEqual([{ name: named.name, reason: "ignored_name" }]);
  });

  test("if its entry is damaged, encrypted, false or cut, while the others are kept", async () => {
    const skipped = await skippedBeside(
      { name: "crc", content: other, central: { crc32: 1 } },
      { name: "crc deflated", content: other, method: 8, central: { crc32: 1 } },
      { name: "encrypted", content: other, flags: 1 },
      { name: "method", content: other, method: 14 },
      { name: "longer", content: other, method: 8, central: { sizeBytes: other.length + 1 } },
      { name: "bomb", content: new Uint8Array(50_000_000), method: 8, central: { sizeBytes: other.length } },
      { name: "impossible", content: other, method: 8, central: { sizeBytes: 0x7fffffff } },
      { name: "cut", content: other.subarray(0, other.length - 3) },
    );
    expect(skipped.map(([, reason]) => reason)).toEqual([
      "zip.crc",
      "zip.crc",
      "zip.encrypted",
      "zip.method",
      "zip.malformed",
      "zip.malformed",
      "zip.malformed",
      "instance.truncated",
    ]);
  });

  test("by a name that the database keeps: without NUL, and cut between two characters", async () => {
    const long = "n".repeat(254);
    const junk = ["a\0b", `${long}😀`].map((name) => ({ name, content: Uint8Array.of(1) }));
    expect((await skippedBeside(...junk)).map(([name]) => name)).toEqual(["a\ufffdb", `${long}\ufffd`]);
  });

  test("up to a number of names, and all are counted", async () => {
    const junk = Array.from({ length: 5 }, (_, i) => ({ name: `${i}`, content: Uint8Array.of(1) }));
    await using uploaded = await upload(writeTestZip(junk), { maxSkippedNames: 2 });
    const { studies, skipped, skippedCount } = await uploaded.session.scan();
    expect([studies, skipped.length, skippedCount]).toEqual([[], 2, 5]);
  });
});

describe("an upload is refused whole", () => {
  const zip = zipSync({ a: slice(["1.1", "1.1.1", "1.1.1.1"]), b: slice(["1.2", "1.1.1", "1.1.1.2"]) });
  async function scanned(limits: Partial<IngestLimits>, bytes: Uint8Array = zip) {
    await using uploaded = await upload(bytes, limits);
    return await refusal(uploaded.session.scan());
  }

  test("if it is not a ZIP or breaks a limit", async () => {
    expect(await scanned({}, new Uint8Array(1000))).toBe("zip.not_zip");
    expect(await scanned({ maxEntries: 1 })).toBe("zip.too_many_entries");
    expect(await scanned({ maxInstances: 1 })).toBe("upload.too_many_instances");
    expect(await scanned({ maxStudies: 1 })).toBe("upload.too_many_studies");
    expect(await scanned({ maxMetadataBytes: 1000 })).toBe("upload.too_much_metadata");
    expect(await scanned({ maxInflatedBytes: 1000 })).toBe("upload.too_large_inflated");
  });

  test("if an existing manifest can't be read", async () => {
    const existing = new Map([["1.1/1.1.1", new Uint8Array(50)]]);
    expect(await refusal(ingest(zip, existing))).toBe("manifest.damaged");
  });
});

describe("workers", () => {
  const blank = (sizeBytes: number) => zipSync({ blank: [new Uint8Array(sizeBytes), { level: 9 }] });

  /** So long to read that the clock strikes first even if this process has to wait for the processor. */
  function slowZip(): Uint8Array {
    const content = multiFrame(["1.1", "1.1.1", "1.1.1.1"], 1_000);
    const entry = { content, stored: deflateRawSync(content), method: 8 };
    return writeTestZip(Array.from({ length: 40 }, (_, n) => ({ ...entry, name: `${n}` })));
  }

  test.skipIf(process.platform !== "linux")("an upload that takes too much memory is ended", async () => {
    const scan = async () => {
      await using uploaded = await upload(slowZip(), { maxMemoryBytes: 1_000_000 });
      return await uploaded.session.scan();
    };
    expect(await refusal(scan())).toBe("upload.too_much_memory");
  });

  test("an upload that takes too long is ended, and the next one is served", async () => {
    await using late = await upload(slowZip(), { timeoutMs: 1 });
    expect(await refusal(late.session.scan())).toBe("worker.slow");
    const { built } = await ingest(zipSync({ a: slice(["1.1", "1.1.1", "1.1.1.1"]) }));
    expect(built.studies).toHaveLength(1);
  });

  test("a small upload that takes too long to read at once is read among large ones", async () => {
    const slowAtOnce = `process.on("message", ({ number, body: { beat, body } }) => {
      const result = beat === "scan" ? { studies: ["read"] } : { inflatedBytes: 1 };
      if (!body.scannedAtOnceBytes) process.send({ number, body: { ok: true, result } });
    });`;
    const slow = createIngestWorkers({
      ...{ size: 2, log: { info() {}, warn() {} } },
      ...{ command: [process.execPath, "-e", slowAtOnce], handoverTimeoutMs: 4_000 },
    });
    const spoolPath = join(bench.folder, "deflated.zip");
    writeFileSync(spoolPath, blank(100));
    const session = await slow.open(
      bench.folder,
      spoolPath,
      DEFAULT_INGEST_LIMITS,
      new AbortController().signal,
    );
    expect((await session.scan()).studies.map(String)).toEqual(["read"]);
    await slow.close();
  });

  test("a cancelled upload ends at once", async () => {
    const cancel = new AbortController();
    await using uploaded = await upload(blank(30_000_000), {}, cancel.signal);
    const scan = uploaded.session.scan();
    cancel.abort(new Error("the client went away"));
    await expect(scan).rejects.toThrow("the client went away");
  });

  test("a worker that dies fails its own upload only", async () => {
    const warned: string[] = [];
    const dying = createIngestWorkers({
      size: 2,
      log: { info() {}, warn: (event) => warned.push(event) },
      command: [process.execPath, "-e", "0"],
    });
    const spoolPath = join(bench.folder, "any.zip");
    writeFileSync(spoolPath, blank(10));
    const open = dying.open(bench.folder, spoolPath, DEFAULT_INGEST_LIMITS, new AbortController().signal);
    expect(await refusal(open)).toBe("worker.lost");
    await dying.close();
    expect(warned).toEqual(["ingest.worker_lost"]);
    expect((await ingest(zipSync({ a: slice(["1.1", "1.1.1", "1.1.1.1"]) }))).built.studies).toHaveLength(1);
  });

  test("a worker that dies between two steps of an upload is told from one that fails", async () => {
    const tellsWho = `process.on("message", ({ number }) =>
      process.send({ number, body: { ok: true, result: { inflatedBytes: 0, scan: { studies: [process.pid] } } } }));`;
    const dying = createIngestWorkers({
      ...{ size: 2, log: { info() {}, warn() {} } },
      command: [process.execPath, "-e", tellsWho],
    });
    const spoolPath = join(bench.folder, "between.zip");
    writeFileSync(spoolPath, blank(100));
    const { signal } = new AbortController();
    const session = await dying.open(bench.folder, spoolPath, DEFAULT_INGEST_LIMITS, signal);
    const pid = Number((await session.scan()).studies[0]);
    process.kill(pid, "SIGKILL");
    await until(() => !existsSync(`/proc/${pid}`));
    expect(await refusal(session.build({ studies: [] }))).toBe("worker.lost");
    await dying.close();
  });

  test("a worker that one upload returns twice stays with the upload that has it since", async () => {
    const zip = (study: string) => zipSync({ a: slice([study, "1.1.1", "1.1.1.1"]) });
    const first = await upload(zip("1.1"));
    await first.session.dispose();
    await using second = await upload(zip("1.2"));
    await first.session.dispose();
    await using third = await upload(zip("1.3"));
    const scans = await Promise.all([second.session.scan(), third.session.scan()]);
    expect(scans.map(({ studies }) => studies[0]?.studyInstanceUID)).toEqual(["1.2", "1.3"]);
  });

  test("an upload that is given back twice at once is left only when its worker is done with it", async () => {
    const leavesSlowly = `process.on("message", ({ number, body: { beat } }) => {
      const answer = () => process.send({ number, body: { ok: true, result: { inflatedBytes: 0 } } });
      if (beat === "dispose") setTimeout(answer, 50);
      else answer();
    });`;
    const slow = createIngestWorkers({
      ...{ size: 2, log: { info() {}, warn() {} } },
      command: [process.execPath, "-e", leavesSlowly],
    });
    const spoolPath = join(bench.folder, "slow.zip");
    writeFileSync(spoolPath, blank(100));
    const { signal } = new AbortController();
    const session = await slow.open(bench.folder, spoolPath, DEFAULT_INGEST_LIMITS, signal);
    const left: string[] = [];
    const first = session.dispose().then(() => left.push("first"));
    await session.dispose().then(() => left.push("second"));
    await first;
    expect(left).toEqual(["first", "second"]);
    await slow.close();
  });

  test("a small upload is read and built in two messages, and leaves its worker to the next", async () => {
    const endsAtAnyOther = `process.on("message", ({ number, body: { beat } }) => {
      const answer = (result) => process.send({ number, body: { ok: true, result } });
      if (beat === "open") answer({ inflatedBytes: 0, scan: { studies: [process.pid] } });
      else if (beat === "build") answer({ studies: [] });
      else process.exit(1);
    });`;
    const terse = createIngestWorkers({
      ...{ size: 2, log: { info() {}, warn() {} } },
      command: [process.execPath, "-e", endsAtAnyOther],
    });
    const spoolPath = join(bench.folder, "terse.zip");
    writeFileSync(spoolPath, blank(100));
    const { signal } = new AbortController();
    const pids: unknown[] = [];
    for (let uploads = 0; uploads < 2; uploads++) {
      const session = await terse.open(bench.folder, spoolPath, DEFAULT_INGEST_LIMITS, signal);
      pids.push((await session.scan()).studies[0]);
      await session.build({ studies: [] });
      await session.dispose();
    }
    await terse.close();
    expect(pids[0]).toBeNumber();
    expect(pids[1]).toBe(pids[0]);
  });

  // The log reads the names of open files from Linux.
  test.skipIf(process.platform !== "linux")(
    "what it built is on the medium with its names before it says so, whether written anew or made of the ZIP itself",
    async () => {
      await using folder = createTempFolder();
      const log = join(folder.path, "syncs");
      const preload = join(import.meta.dir, "../../support/program/log-syncs.ts");
      await using logging = createIngestBench([process.execPath, "--preload", preload, WORKER, log]);
      const image = multiFrame(["1.1", "1.1.1", "1.1.1.1"], 8);
      const [long, short] = ["JOAO_DA_SILVA/EXAMES/TC/IMAGEM1", "a"];
      // The sums of a ZIP that becomes the volume may be known before.
      for (const [name, isSummed] of [
        [long, false],
        [long, true],
        [short, false],
      ] as const) {
        await using uploaded = await logging.upload(zipSync({ [name]: image }, { level: 0 }));
        const limits = DEFAULT_INGEST_LIMITS;
        const named = { spoolPath: join(uploaded.folder, "spool"), volumeId: Bun.randomUUIDv7(), limits };
        const scan = await uploaded.session.scan();
        const guessed = isSummed ? await guessVolume(named) : undefined;
        const plan = planFor({ ...scan, ...(guessed && { guessed }) }, uploaded.folder);
        const built = await uploaded.session.build(plan);
        expect(existsSync(join(uploaded.folder, "spool"))).toBe(name === short);
        const synced = readFileSync(log, "utf8").split("\n");
        const objects = built.studies.flatMap(({ volume, series }) => [
          ...(volume ? [volume] : []),
          ...series.map(({ manifest }) => manifest),
        ]);
        expect(objects).toHaveLength(2);
        for (const { path, sizeBytes } of objects)
          expect(synced).toContain(`${realpathSync(path)} ${sizeBytes}`);
        for (const path of [uploaded.folder, dirname(uploaded.folder)])
          expect(synced.some((line) => line.startsWith(`${realpathSync(path)} `))).toBe(true);
      }
    },
  );

  test("eight uploads at once are all served by two workers", async () => {
    const zips = Array.from({ length: 8 }, (_, i) =>
      zipSync({ a: slice([`1.${i + 1}`, "1.1.1", "1.1.1.1"]) }),
    );
    const done = await Promise.all(zips.map((zip) => ingest(zip)));
    expect(done.map(({ built }) => built.studies[0]?.studyInstanceUID)).toEqual(
      zips.map((_, i) => `1.${i + 1}`),
    );
  });

  test.skipIf(process.platform !== "linux")(
    "one that hangs is gone once its upload is given up",
    async () => {
      const answersOpen = `process.on("message", ({ number, body: { beat } }) => {
      if (beat === "open") process.send({ number, body: { ok: true, result: { inflatedBytes: process.pid } } });
    });`;
      const hanging = createIngestWorkers({
        ...{ size: 2, log: { info() {}, warn() {} } },
        command: [process.execPath, "-e", answersOpen],
      });
      const spoolPath = join(bench.folder, "given-up.zip");
      writeFileSync(spoolPath, blank(100));
      const { signal } = new AbortController();
      const session = await hanging.open(bench.folder, spoolPath, DEFAULT_INGEST_LIMITS, signal);
      const disposing = session.dispose();
      const closing = hanging.close();
      await disposing;
      expect(await isAlive(String(session.inflatedBytes))).toBe(false);
      await closing;
    },
  );

  test.skipIf(process.platform !== "linux")("none outlives a killed server", async () => {
    const folder = join(import.meta.dir, "../../../src/server/features/ingest/worker");
    const [workers, limits] = ["workers", "limits"].map((name) =>
      JSON.stringify(join(folder, `ingest-${name}.ts`)),
    );
    const spoolPath = join(bench.folder, "orphan.zip");
    writeFileSync(spoolPath, blank(60_000_000));
    const server = Bun.spawn(
      [
        process.execPath,
        "-e",
        `const { createIngestWorkers } = await import(${workers});
         const { DEFAULT_INGEST_LIMITS } = await import(${limits});
         const workers = createIngestWorkers({ size: 2, log: { info() {}, warn() {} } });
         const signal = new AbortController().signal;
         const session = await workers.open(${JSON.stringify(bench.folder)}, ${JSON.stringify(spoolPath)}, DEFAULT_INGEST_LIMITS, signal);
         session.scan();
         console.log("scanning");
         setInterval(() => {}, 1000);`,
      ],
      { stdout: "pipe" },
    );
    for await (const _ of server.stdout) break;
    const child = (await Bun.file(`/proc/${server.pid}/task/${server.pid}/children`).text()).trim();
    expect(child).toMatch(/^\d+$/);
    server.kill("SIGKILL");
    await server.exited;
    await until(async () => !(await isAlive(child)));
  });

  test.skipIf(process.platform !== "linux")(
    "nothing of the server's environment reaches a worker",
    async () => {
      await using uploaded = await upload(zipSync({ a: slice(["1.1", "1.1.1", "1.1.1.1"]) }));
      await uploaded.session.scan();
      // Files that ran before in this process may have left children of their own.
      const children = await Bun.file(`/proc/self/task/${process.pid}/children`).text();
      const environments = [];
      for (const child of children.trim().split(" ").filter(Boolean)) {
        const command = await Bun.file(`/proc/${child}/cmdline`).text();
        if (!command.includes("ingest-worker")) continue;
        environments.push(await Bun.file(`/proc/${child}/environ`).text());
      }
      expect(environments.length).toBeGreaterThan(0);
      for (const environment of environments) expect(environment).not.toContain("HOME=");
    },
  );
});

async function isAlive(pid: string): Promise<boolean> {
  // It may end between two looks.
  const status = await Bun.file(`/proc/${pid}/status`)
    .text()
    .catch(() => undefined);
  return status !== undefined && !/^State:\s+Z/m.test(status);
}

const samples = process.env.DICOM_SAMPLES;

test.skipIf(!samples)("every readable real file comes back bit for bit, in one ZIP", async () => {
  const root = samples ?? "";
  const names = Array.from(new Bun.Glob("**/*").scanSync(root)).sort();
  const files: Record<string, Uint8Array> = {};
  for (const name of names)
    files[name.replace(".txt", "").replace(".jpg", "")] = await Bun.file(join(root, name)).bytes();
  const { scan, built } = await ingest(zipSync(files, { level: 1 }));
  expect(scan.instanceCount).toBeGreaterThan(400);
  // Entry by entry: other bytes under a known SOP Instance UID are in the volume too.
  const stored = new Set<number>();
  for (const { volume } of built.studies) {
    const entries = unzipSync(await Bun.file(volume?.path ?? "").bytes());
    for (const bytes of Object.values(entries)) stored.add(crc32(bytes));
  }
  const skipped = new Set(scan.skipped.map(({ name }) => name));
  const missing = Object.entries(files).filter(
    ([name, bytes]) => !skipped.has(name) && !stored.has(crc32(bytes)),
  );
  const duplicates = built.studies.reduce((sum, study) => sum + study.duplicates, 0);
  expect(missing.length).toBeLessThanOrEqual(duplicates);
  for (const { volume } of built.studies) {
    expect(Object.keys(unzipSync(await Bun.file(volume?.path ?? "").bytes())).length).toBeGreaterThan(0);
  }
});
