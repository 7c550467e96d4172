import { describe, expect, test } from "bun:test";
import { crc32 } from "node:zlib";
import { unzipSync } from "fflate";
import type { Picked } from "../../../src/client/features/pick/picked-files.ts";
import { type KnownStudy, sortExams } from "../../../src/client/features/upload/contents/sort-exams.ts";
import { sumInWorker } from "../../../src/client/features/upload/draft/file-sums.ts";
import { makeUploads } from "../../../src/client/features/upload/draft/make-uploads.ts";
import { type ExamSource, mergeExams } from "../../../src/client/features/upload/draft/merge-exams.ts";
import {
  type Choice,
  hasUnreadRest,
  isUnreadSendable,
  planUploads,
  restKey,
} from "../../../src/client/features/upload/draft/plan-uploads.ts";
import { readSource } from "../../../src/client/features/upload/draft/read-source.ts";
import { toMetadata } from "../../../src/client/features/upload/exam-form/exam-form.ts";
import { lookInside } from "../../../src/client/features/upload/look-inside/look-inside.ts";
import {
  CONTENT_LIMITS,
  readContents,
} from "../../../src/client/features/upload/look-inside/read-contents.ts";
import {
  type PackableFile,
  packedSizeBytes,
  packFolder,
} from "../../../src/client/features/upload/pack-folder/pack-folder.ts";
import { blobTarget } from "../../../src/client/features/upload/pack-folder/pack-sinks.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { readZipEntries } from "../../../src/shared/zip/open-zip-blob.ts";
import { folderFiles, zipFile } from "../../support/client/upload-files.ts";
import { type SampleInstance, sampleInstance, studyUID } from "../../support/zip/sample-zip.ts";
import { writeTestZip } from "../../support/zip/zip-archive.ts";

const MEGABYTE = 1024 ** 2;
const { signal } = new AbortController();

async function pack(files: PackableFile[]) {
  const target = blobTarget();
  await packFolder(files, target.sink);
  return { zip: await target.finish(), dispose: async () => {} };
}

/** Counts the packs that wait to be sent. */
class PackStore {
  packed = 0;
  held = 0;
  constructor(private readonly faults: { failAt?: number } = {}) {}

  readonly options = {
    ...{ signal, onPacked: () => {} },
    pack: async () => {
      if (this.packed === this.faults.failAt) throw new Error("no room");
      this.packed++;
      this.held++;
      const dispose = async () => {
        this.held--;
      };
      return { zip: new Blob(["x"]), dispose };
    },
  };

  /** Once everything is packed that is packed by itself. */
  async settled(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  }
}

async function sourceOf(id: string, picked: Picked): Promise<ExamSource> {
  const read = await readSource(picked, {
    maxUploadBytes: 100 * MEGABYTE,
    onProgress: () => {},
    signal,
    look: (files, { onRead }) => lookInside(files, onRead),
  });
  return { id, read };
}

const filesOf = (instances: SampleInstance[]) =>
  Object.fromEntries(instances.map((one, n) => [`IM${n}`, sampleInstance(one)]));
const zipOf = (id: string, ...instances: SampleInstance[]) =>
  sourceOf(id, { kind: "zip", file: zipFile(filesOf(instances), { name: `${id}.zip` }) });
const folderOf = (id: string, ...instances: SampleInstance[]) =>
  sourceOf(id, { kind: "folder", name: id, files: folderFiles(filesOf(instances)) });

interface Asked extends Partial<Pick<Choice, "corrections" | "unticked" | "maxUploadBytes" | "roomBytes">> {
  room?: number;
  known?: KnownStudy[];
}

function sorted(sources: ExamSource[], { room = 100, known = [], ...asked }: Asked = {}) {
  const { unticked = new Set<string>(), roomBytes = Number.POSITIVE_INFINITY } = asked;
  const { maxUploadBytes = 100 * MEGABYTE } = asked;
  return sortExams(mergeExams(sources).exams, { known, room, roomBytes, unticked, maxUploadBytes });
}

function plan(sources: ExamSource[], { room, known, ...asked }: Asked = {}) {
  const { withoutTwins } = mergeExams(sources);
  const { toSend } = sorted(sources, {
    ...asked,
    ...(room !== undefined && { room }),
    ...(known && { known }),
  });
  return planUploads({
    ...{ sources, withoutTwins, unticked: new Set<string>(), corrections: new Map() },
    ...{ maxUploadBytes: 100 * MEGABYTE, roomBytes: Number.POSITIVE_INFINITY },
    ...asked,
    chosen: toSend.filter(({ isChosen }) => isChosen),
  });
}

/** The SOP Instance UIDs of what a planned upload brings. */
async function broughtBy(planned: ReturnType<typeof plan>): Promise<string[][]> {
  const made = await Array.fromAsync(makeUploads(planned, { signal, pack, onPacked: () => {} }));
  return Promise.all(
    made.map(async ({ upload }) => {
      const content = unzipSync(new Uint8Array(await upload.zip.arrayBuffer()));
      const source = await sourceOf("x", { kind: "folder", name: "x", files: folderFiles(content) });
      return (source.read.contents?.studies ?? [])
        .flatMap(({ series }) => series.flatMap(({ instances }) => instances))
        .map(({ sopInstanceUID }) => sopInstanceUID.replace("2.25.3.", ""))
        .sort();
    }),
  );
}

test("a folder that this browser can't read is offered for sending unless none of its files fits into an upload", () => {
  const unread = (files: PackableFile[]): ExamSource => ({
    id: "a",
    read: {
      ...{ kind: "folder", name: "CD", sizeBytes: 0, zip: undefined, fileCount: files.length },
      ...{ files, contents: undefined, prefilled: undefined },
    },
  });
  const large = { path: "IM1", file: new Blob([new Uint8Array(2_000)]) };
  const empty = { path: "IM2", file: new Blob([]) };
  const offered = [[large], [large, empty], [empty]].map((files) => isUnreadSendable(unread(files), 1_000));
  expect(offered).toEqual([false, true, true]);
});

describe("exams of several sources", () => {
  test("are one by their Study Instance UID, and an instance that is in two of them is sent once", async () => {
    const sources = [
      await zipOf("a", {}, { sop: "2" }),
      await zipOf("b", { sop: "2" }, { sop: "3" }, { study: "2" }),
    ];
    const { exams } = mergeExams(sources);
    expect(exams.map(({ images, series }) => [images, series[0]?.images])).toEqual([
      [3, 3],
      [1, 1],
    ]);
    const planned = plan(sources);
    expect(planned.map(({ zip }) => zip?.name)).toEqual(["a.zip", undefined]);
    expect(await broughtBy(planned)).toEqual([
      ["1.1.1", "1.1.2"],
      ["1.1.3", "2.1.1"],
    ]);
  });

  test("keep other bytes under the same SOP Instance UID, also of the same size in a folder", async () => {
    const one = { elements: { [TagHex.PatientID]: { vr: "LO", Value: ["AB"] } } } as const;
    const other = { elements: { [TagHex.PatientID]: { vr: "LO", Value: ["CD"] } } } as const;
    const zips = [await zipOf("a", one), await zipOf("b", other)];
    expect(mergeExams(zips).exams[0]?.images).toBe(2);
    const mixed = [await zipOf("a", one), await folderOf("b", other)];
    const { assumed, exams } = mergeExams(mixed);
    expect([assumed.length, exams[0]?.images]).toEqual([1, 1]);
    await sumInWorker(assumed, signal);
    const summed = mergeExams(mixed);
    expect([summed.assumed.length, summed.exams[0]?.images]).toEqual([0, 2]);
  });
});

describe("what is sent", () => {
  test("is a ZIP as it is if all of it is chosen, and else what was chosen of it", async () => {
    const source = await zipOf("a", {}, { study: "2" }, { study: "3" });
    const [whole] = plan([source]);
    expect(whole?.zip).toBe(source.read.zip);
    const part = plan([source], { unticked: new Set([studyUID("2")]) });
    expect(part.map(({ zip }) => zip)).toEqual([undefined]);
    expect(await broughtBy(part)).toEqual([["1.1.1", "3.1.1"]]);
  });

  test("is each corrected exam by itself, from all sources, with its own values alone", async () => {
    const sources = [await zipOf("a", {}, { study: "2" }), await folderOf("b", { study: "2", sop: "2" })];
    const about = mergeExams(sources).exams[1]?.about;
    if (!about) throw new Error("no exam");
    const corrections = new Map([[studyUID("2"), { ...about, description: "Joelho" }]]);
    const planned = plan(sources, { corrections });
    expect(planned.map(({ form, prefilled }) => toMetadata(form, prefilled))).toEqual([
      { studyInstanceUID: studyUID("1") },
      { studyInstanceUID: studyUID("2"), description: "Joelho" },
    ]);
    expect(await broughtBy(planned)).toEqual([["1.1.1"], ["2.1.1", "2.1.2"]]);
  });

  test("is only what the account lacks of an exam", async () => {
    const source = await zipOf("a", {}, { sop: "2" });
    const bytes = sampleInstance({});
    const kept = { sopInstanceUID: "2.25.3.1.1.1", sizeBytes: bytes.length, crc32: crc32(bytes) };
    const study = { id: "s", studyInstanceUID: studyUID("1"), imagesReceived: 1, createdAt: "" };
    const known = (instances: (typeof kept)[]) => [{ study, instances: { isComplete: true, instances } }];
    expect(await broughtBy(plan([source], { known: known([kept]), room: 0 }))).toEqual([["1.1.2"]]);
    const other = known([{ ...kept, crc32: 1 }]);
    expect(await broughtBy(plan([source], { known: other }))).toEqual([["1.1.1", "1.1.2"]]);
  });

  test("is split where it is larger than an upload may be", async () => {
    const source = await folderOf("a", {}, { study: "2" }, { study: "3" });
    const unticked = new Set([studyUID("3")]);
    const one = packedSizeBytes(source.read.files.slice(0, 1));
    expect(plan([source], { unticked, maxUploadBytes: one + 50 })).toHaveLength(2);
    expect(plan([source], { unticked, maxUploadBytes: 2 * one + 50 })).toHaveLength(1);
  });

  test("is a folder larger than an upload may be in several, and an exam in several if it must", async () => {
    const source = await folderOf("CD", {}, { sop: "2" }, { study: "2" });
    const maxUploadBytes = packedSizeBytes(source.read.files.slice(0, 1)) + 50;
    const planned = plan([source], { maxUploadBytes });
    expect(planned.map(({ name }) => name)).toEqual(["CD (1/3)", "CD (2/3)", "CD (3/3)"]);
    expect(await broughtBy(planned)).toEqual([["1.1.1"], ["1.1.2"], ["2.1.1"]]);
  });

  test("is everything but an exam with an image larger than an upload may be", async () => {
    const source = await folderOf("CD", {}, { study: "2" }, { study: "3" });
    const { files } = source.read;
    const heavy = files.map((file, n) => (n === 1 ? { ...file, sizeBytes: 200 * MEGABYTE } : file));
    const sources = [{ ...source, read: { ...source.read, files: heavy } }];
    expect(sorted(sources).tooLarge.map(({ studyInstanceUID }) => studyInstanceUID)).toEqual([studyUID("2")]);
    expect(await broughtBy(plan(sources))).toEqual([["1.1.1", "3.1.1"]]);
  });

  test("is split too where there are more files than a ZIP can hold", async () => {
    const { read } = await folderOf("CD", {});
    const files = Array.from({ length: 65_600 }, (_, n) => ({
      path: `${n}`,
      file: new Blob(),
      sizeBytes: 1,
    }));
    const contents = { studies: [], isComplete: false, unplaced: [] };
    const planned = plan([{ id: "a", read: { ...read, files, contents } }]);
    expect(planned.map((one) => one.files.length)).toEqual([65_535, 65]);
  });

  test("is what fits into the plan by its bytes; each that does not says how much is missing", async () => {
    const source = await folderOf("CD", {}, { sop: "2" }, { study: "2" }, { study: "3" });
    const size = source.read.files[0]?.sizeBytes ?? 0;
    const asked = { roomBytes: 2 * size + 10, unticked: new Set<string>() };
    const { toSend, over } = sorted([source], asked);
    expect(toSend.map(({ exam }) => exam.studyInstanceUID)).toEqual([studyUID("1")]);
    expect(over.map(({ missingBytes }) => missingBytes)).toEqual([size - 10, size - 10]);
    // One that is not chosen leaves its room to the next ones.
    const others = sorted([source], { ...asked, unticked: new Set([studyUID("1")]) });
    expect(others.over).toEqual([]);
  });

  test("is of a ZIP its exams alone where the plan has no room for the rest of it", async () => {
    const file = zipFile({ ...filesOf([{}]), "VIEWER.TXT": new Uint8Array(10_000) }, { level: 0 });
    const source = await sourceOf("a", { kind: "zip", file });
    expect(plan([source], { roomBytes: file.size }).map(({ zip }) => zip)).toEqual([file]);
    const planned = plan([source], { roomBytes: file.size - 1 });
    expect(planned.map(({ zip }) => zip)).toEqual([undefined]);
    expect(await broughtBy(planned)).toEqual([["1.1.1"]]);
  });

  test("is made while what was made before is sent, and never more than one ahead", async () => {
    const sources = ["1", "2", "3"].map((study) => folderOf(study, { study }));
    const store = new PackStore();
    const held: number[] = [];
    for await (const { upload } of makeUploads(plan(await Promise.all(sources)), store.options)) {
      await store.settled();
      held.push(store.held);
      await upload.dispose();
    }
    // The one that is sent, and the next.
    expect([held, store.held, store.packed]).toEqual([[2, 2, 1], 0, 3]);
  });

  test("leaves no temporary file behind where one of several can't be packed or the sending stops", async () => {
    const sources = await Promise.all([folderOf("a", {}), folderOf("b", { study: "2" })]);
    const failing = new PackStore({ failAt: 1 });
    const made: string[] = [];
    const making = async () => {
      for await (const { upload } of makeUploads(plan(sources), failing.options)) {
        made.push(upload.fileName);
        await upload.dispose();
      }
    };
    expect(await making().catch((error: Error) => error.message)).toBe("no room");
    expect([made.length, failing.held]).toEqual([1, 0]);
    const stopped = new PackStore();
    for await (const { upload } of makeUploads(plan(sources), stopped.options)) {
      await stopped.settled();
      await upload.dispose();
      break;
    }
    expect([stopped.packed, stopped.held]).toEqual([2, 0]);
  });
});

describe("what was not read of a source", () => {
  /** As if a slow disc had given two of its files within the time there is for reading. */
  async function slowly(source: ExamSource): Promise<ExamSource> {
    const contents = await readContents(source.read.files, { ...CONTENT_LIMITS, maxFiles: 2, now }, () => {});
    return { ...source, read: { ...source.read, contents } };
  }
  const now = () => performance.now();
  const disc: SampleInstance[] = [{}, { study: "2" }, { sop: "2" }, { study: "3" }];
  const kept = (sop: string) => {
    const bytes = sampleInstance({ study: sop });
    return { sopInstanceUID: `2.25.3.${sop}.1.1`, sizeBytes: bytes.length, crc32: crc32(bytes) };
  };
  const known = ["1", "2"].map((study) => ({
    study: { id: study, studyInstanceUID: studyUID(study), imagesReceived: 1, createdAt: "" },
    instances: { isComplete: true, instances: [kept(study)] },
  }));

  test("goes along with what is chosen, by itself where nothing is, and stays where the person leaves it out", async () => {
    const source = await slowly(await folderOf("a", ...disc));
    expect(hasUnreadRest(source, 100 * MEGABYTE)).toBe(true);
    const unticked = new Set([studyUID("2")]);
    expect(await broughtBy(plan([source], { unticked }))).toEqual([["1.1.1", "1.1.2", "3.1.1"]]);
    expect(await broughtBy(plan([source], { known }))).toEqual([["1.1.2", "3.1.1"]]);
    const without = new Set([restKey(source)]);
    expect(await broughtBy(plan([source], { unticked: without }))).toEqual([["1.1.1", "2.1.1"]]);
    expect(plan([source], { known, unticked: without })).toEqual([]);
    const [whole] = plan([await slowly(await zipOf("b", ...disc))]);
    expect(whole?.zip?.name).toBe("b.zip");
  });

  test("is split where it is larger than an upload may be", async () => {
    const source = await slowly(await folderOf("a", ...disc));
    const maxUploadBytes = packedSizeBytes(source.read.files.slice(0, 1)) + 50;
    expect(await broughtBy(plan([source], { known, maxUploadBytes }))).toEqual([["1.1.2"], ["3.1.1"]]);
  });

  test("of files that can't be read here goes along, but not the directory of the medium", async () => {
    const damaged = sampleInstance({ study: "9" }).slice(0, 200);
    const files = { ...filesOf([{}, { study: "2" }]), DAMAGED: damaged, DICOMDIR: damaged };
    const source = await sourceOf("a", { kind: "folder", name: "a", files: folderFiles(files) });
    expect(source.read.contents?.isComplete).toBe(true);
    const pathsOf = (unticked: string[]) =>
      plan([source], { unticked: new Set(unticked.map((uid) => studyUID(uid))) }).map(({ files: sent }) =>
        sent.map(({ path }) => path.split("/").at(-1)),
      );
    expect(pathsOf(["2"])).toEqual([["IM0", "DAMAGED"]]);
    expect(pathsOf(["1", "2"])).toEqual([]);
  });
});

describe("entries of a ZIP are packed as they are", () => {
  const content = (n: number) => sampleInstance({ sop: String(n) });
  const asFile = (bytes: Uint8Array) => new File([bytes as Uint8Array<ArrayBuffer>], "exame.zip");
  const packableOf = async (file: File) =>
    (await readZipEntries(file)).map((entry) => ({ path: entry.name, file, entry }));

  test("stored, deflated, with ZIP64 sizes and with names beyond ASCII", async () => {
    const entries = [
      { name: "São João/coração.dcm", content: content(1), method: 8 },
      { name: "stored", content: content(2), method: 0 },
      { name: "wide", content: content(3), method: 8, zip64: true },
      { name: "described", content: content(4), method: 8, dataDescriptor: true },
    ];
    const files = await packableOf(
      asFile(writeTestZip(entries.map((entry) => ({ ...entry, flags: 0x0800 })))),
    );
    const { zip } = await pack(files);
    expect(zip.size).toBe(packedSizeBytes(files));
    const packed = unzipSync(new Uint8Array(await zip.arrayBuffer()));
    for (const entry of entries)
      expect(Buffer.from(packed[entry.name] ?? [])).toEqual(Buffer.from(entry.content));
    const again = await packableOf(new File([zip], "again.zip"));
    expect(again.map(({ entry }) => [entry.method, entry.crc32, entry.storedBytes])).toEqual(
      files.map(({ entry }) => [entry.method, entry.crc32, entry.storedBytes]),
    );
  });

  test("and a ZIP whose entry is not where its directory says is not packed", async () => {
    const bytes = writeTestZip([{ name: "IM1", content: content(1) }]);
    const files = await packableOf(asFile(bytes));
    const changed = Uint8Array.from(bytes);
    changed[0] = 0;
    const damaged = files.map((file) => ({ ...file, file: asFile(changed) }));
    expect(await pack(damaged).catch((error: Error) => error.name)).toBe("EntryUnreadable");
  });
});
