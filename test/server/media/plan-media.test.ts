import { expect, test } from "bun:test";
import { zstdCompressSync } from "node:zlib";
import type { KeptVariant, ManifestInstance } from "../../../src/server/archive/manifest.ts";
import { Dicomdir } from "../../../src/server/dicom/dicomdir.ts";
import { parseFile } from "../../../src/server/dicom/parse-file.ts";
import type { SeriesReader } from "../../../src/server/features/dicomweb/catalogue/series-reader.ts";
import type { StoredMetadata } from "../../../src/server/features/dicomweb/dicomweb.catalogue.ts";
import { PackedFiles } from "../../../src/server/features/media/packed-files.ts";
import { planMedia } from "../../../src/server/features/media/plan-media.ts";
import type { SeriesRow, StudyRow } from "../../../src/server/features/studies/studies.table.ts";
import type { StoredObjectRow } from "../../../src/server/holdings/objects/stored-objects.table.ts";
import type { DicomJson } from "../../../src/shared/dicom/dicom-json.ts";
import { memorySource } from "../../../src/shared/dicom/reading/memory-source.ts";
import { tagHex } from "../../../src/shared/dicom/tags.ts";

const CT = "1.2.840.10008.5.1.4.1.1.2";
const TEXT_SR = "1.2.840.10008.5.1.4.1.1.88.11";
const study = {
  ...{ id: "0190c0de", studyInstanceUID: "2.25.1", createdAt: new Date(0) },
  ...{ studyDate: null, studyTime: null, patientBirthDate: null },
} as StudyRow;
const row = { id: "1", seriesInstanceUID: "2.25.2", modality: "CT", seriesNumber: 1 } as SeriesRow;

/** A series of instances with short headers, if not with others, and how often its metadata are opened. */
function seriesOf(
  count: number,
  sopClassUID: string,
  { header, variants = [] }: { header?: DicomJson; variants?: KeptVariant[] } = {},
) {
  const instances = Array.from({ length: count }, (_, i): ManifestInstance => {
    const kept = { volumeId: "v", dataOffset: i, storedBytes: 1, sizeBytes: 1, method: 0, crc32: 0 } as const;
    const about = { instanceNumber: i + 1, rows: null, columns: null, frames: { kind: "none" } } as const;
    const transferSyntaxUID = "1.2.840.10008.1.2.1";
    return { ...kept, ...about, sopClassUID, sopInstanceUID: `2.25.3.${i}`, transferSyntaxUID };
  });
  const same = header && JSON.stringify(header);
  const texts = instances.map((_, i) => same ?? `{"00080023":{"vr":"DA","Value":["${20_000_101 + i}"]}}`);
  const opened = { times: 0 };
  const json = Buffer.from(`[${texts.join(",")}]`);
  const packed = zstdCompressSync(json);
  const offsets = new Map<string, { offset: number; length: number }>();
  let offset = 1;
  for (const [i, { sopInstanceUID }] of instances.entries()) {
    const { length = 0 } = texts[i] ?? "";
    offsets.set(sopInstanceUID, { offset, length });
    offset += length + 1;
  }
  const metadata = {
    inflatedBytes: json.length,
    // No header of an image is read.
    rangeOf: async (sopInstanceUID) => (sopClassUID === CT ? undefined : offsets.get(sopInstanceUID)),
    async open() {
      opened.times++;
      return packed;
    },
  } as Partial<StoredMetadata> as StoredMetadata;
  const series = {
    warm: async () => {},
    manifest: async () => ({
      version: 1,
      studyInstanceUID: "2.25.1",
      seriesInstanceUID: "2.25.2",
      instances,
      variants,
    }),
    metadata: async () => metadata,
  } as Partial<SeriesReader> as SeriesReader;
  return {
    series,
    opened,
    plan: () => planMedia({ series }, study, [{ row, manifest: {} as StoredObjectRow }]),
  };
}

/** How often others got a turn while something was done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const takeTurn = () => {
    turns++;
    if (!isOver) setImmediate(takeTurn);
  };
  setImmediate(takeTurn);
  await work();
  isOver = true;
  return turns;
}

test("a medium of very many images lets others go first while it is planned and its directory is written", async () => {
  const { plan } = seriesOf(50_000, CT);
  const directory = new Dicomdir();
  let planned: Awaited<ReturnType<typeof plan>> | undefined;
  expect(
    await turnsDuring(async () => {
      planned = await plan();
    }),
  ).toBeGreaterThan(10);
  if (!planned) throw new Error("no plan");
  const { patient, files } = planned;
  expect(files).toHaveLength(50_000);
  expect(await turnsDuring(() => directory.add(patient))).toBeGreaterThan(5);
  expect(await turnsDuring(() => Array.fromAsync(directory.encode("DISCO", "2.25.9")))).toBeGreaterThan(1);
}, 240_000);

test("the files of a medium of very many images take little memory while it is sent", async () => {
  const { plan } = seriesOf(20_000, CT);
  const { files } = await plan();
  const packed = await PackedFiles.of(files);
  expect(packed.sizeBytes).toBeLessThan(files.length * 40);
  let count = 0;
  for await (const { name, instance } of packed) {
    const file = files[count++];
    expect([name, instance]).toEqual([file?.name ?? "", file?.instance ?? instance]);
  }
  expect(count).toBe(files.length);
});

test("the headers of a series of documents are read in one pass", async () => {
  const { plan, opened } = seriesOf(300, TEXT_SR);
  const { patient } = await plan();
  const [series] = patient.lower[0]?.lower ?? [];
  const dates = series?.lower.map(({ bytes }) => /\d{8}/.exec(Buffer.from(bytes).toString("latin1"))?.[0]);
  expect(dates?.slice(0, 3)).toEqual(["20000101", "20000102", "20000103"]);
  expect(dates?.at(-1)).toBe("20000400");
  expect(opened.times).toBe(1);
});

test.each([
  ["66", "RAW DATA", ["00080023"]],
  ["66.1", "REGISTRATION", ["00080023", "00700080"]],
  ["66.2", "FIDUCIAL", ["00080023", "00700080"]],
  ["66.3", "REGISTRATION", ["00080023", "00700080"]],
  ["66.4", "IMAGE", []],
  ["66.5", "SURFACE", ["00080023", "00700080"]],
  ["66.6", "TRACT", ["00080023", "00700080"]],
  ["67", "VALUE MAP", ["00080023", "00700080"]],
  ["68.1", "SURFACE SCAN", ["00080023"]],
  ["77.1.5.3", "STEREOMETRIC", ["00700080"]],
  ["77.1.6", "IMAGE", []],
  ["4.2", "SPECTROSCOPY", ["00080023", "00289001"]],
  ["4", "IMAGE", []],
  ["481.1", "IMAGE", []],
  ["481.4", "RT TREAT RECORD", ["30080250"]],
  ["481.8", "RT PLAN", ["300A0002"]],
  ["481.9", "RT TREAT RECORD", ["30080250"]],
])("the record of class …%s is of type %s and has its keys", async (sopClass, type, keys) => {
  const header = {
    "00080023": { vr: "DA", Value: ["20240101"] },
    "00289001": { vr: "UL", Value: [512] },
    "00700080": { vr: "CS", Value: ["LABEL"] },
    "300A0002": { vr: "SH", Value: ["PLAN"] },
    "30080250": { vr: "DA", Value: ["20240102"] },
  };
  const { patient } = await seriesOf(1, `1.2.840.10008.5.1.4.1.1.${sopClass}`, { header }).plan();
  const directory = new Dicomdir();
  await directory.add(patient);
  const file = Buffer.concat(await Array.fromAsync(directory.encode("DISCO", "2.25.9")));
  const record = parseFile(memorySource(file)).file.dataSet.elements.at(-1)?.items?.at(-1);
  const has = new Set(record?.elements.map(({ tag }) => tagHex(tag)));
  expect(Buffer.from(file).toString("latin1")).toContain(type);
  expect(Object.keys(header).filter((tag) => has.has(tag))).toEqual(keys.toSorted());
});

test.each([TEXT_SR, "1.2.840.10008.5.1.4.1.1.88.59"])(
  "the record of a document of class %s has what modifies its title and when it was last verified",
  async (sopClass) => {
    const verifiedAt = (...times: (string | null)[]) => ({ "0040A030": { vr: "DT", Value: times } });
    const item = (relation: string, value: string) => ({
      "0040A010": { vr: "CS", Value: [relation] },
      "0040A160": { vr: "UT", Value: [value] },
    });
    const header: DicomJson = {
      "0040A073": {
        vr: "SQ",
        Value: [verifiedAt("20260102101500"), verifiedAt("20260103", null), verifiedAt("ontem"), {}],
      },
      "0040A493": { vr: "CS", Value: ["VERIFIED"] },
      "0040A730": { vr: "SQ", Value: [item("HAS CONCEPT MOD", "Brasil"), item("CONTAINS", "Achados")] },
    };
    const { patient } = await seriesOf(1, sopClass, { header }).plan();
    const directory = new Dicomdir();
    await directory.add(patient);
    const file = Buffer.concat(await Array.fromAsync(directory.encode("DISCO", "2.25.9")));
    const isReport = sopClass === TEXT_SR;
    expect(file.toString("latin1").match(/2026010\d+|null|ontem|Brasil|Achados|VERIFIED/g)).toEqual(
      isReport ? ["20260103", "VERIFIED", "Brasil"] : ["Brasil"],
    );
  },
);

test("documents whose titles have very many modifiers hinder no medium", async () => {
  const modifier = {
    "0040A010": { vr: "CS", Value: ["HAS CONCEPT MOD"] },
    "0040A160": { vr: "UT", Value: ["x".repeat(1_000)] },
  };
  const header: DicomJson = {
    "0040A493": { vr: "CS", Value: ["VERIFIED"] },
    "0040A730": { vr: "SQ", Value: Array.from({ length: 900 }, () => modifier) },
  };
  const { patient, files } = await seriesOf(50, TEXT_SR, { header }).plan();
  expect(files).toHaveLength(50);
  const [record] = patient.lower[0]?.lower[0]?.lower ?? [];
  expect(Buffer.from(record?.bytes ?? []).toString("latin1")).toContain("VERIFIED");
});

test("a name that no element of a directory holds hinders no medium", async () => {
  const Alphabetic = "a".repeat(70_000);
  const { plan } = seriesOf(1, TEXT_SR, { header: { "00100010": { vr: "PN", Value: [{ Alphabetic }] } } });
  const { patient } = await plan();
  const directory = new Dicomdir();
  await directory.add(patient);
  const file = Buffer.concat(await Array.fromAsync(directory.encode("DISCO", "2.25.9")));
  const { dataSet, truncation } = parseFile(memorySource(file)).file;
  const name = dataSet.elements.at(-1)?.items?.[0]?.elements.find(({ tag }) => tag === 0x00100010);
  expect([truncation, name?.vr, name?.length]).toEqual([undefined, "PN", 70_000]);
});

test("a medium whose records would take much memory is refused", async () => {
  const code = { "00080119": { vr: "UC", Value: ["a".repeat(1_000_000)] } };
  const documents = seriesOf(34, TEXT_SR, { header: { "0040A043": { vr: "SQ", Value: [code] } } });
  await expect(documents.plan()).rejects.toMatchObject({ kind: { code: "media.too_large" } });
  const variants = Array<KeptVariant>(100_001).fill({} as KeptVariant);
  await expect(seriesOf(1, CT, { variants }).plan()).rejects.toMatchObject({
    kind: { code: "media.too_large" },
  });
});
