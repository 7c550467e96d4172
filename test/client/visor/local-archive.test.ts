import { describe, expect, test } from "bun:test";
import { deflateRawSync } from "node:zlib";
import {
  LOCAL_LIMITS,
  type LocalLimits,
  openLocalArchive,
} from "../../../src/client/visor/local/local-archive.ts";
import { writeInstance } from "../../../src/server/dicom/write-instance.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { cutFrame } from "../../support/dicom/cut-frame.ts";
import {
  DEFLATED,
  EXPLICIT_BIG_ENDIAN,
  EXPLICIT_LITTLE_ENDIAN,
  IMPLICIT_LITTLE_ENDIAN,
  JPEG_BASELINE,
  readTaken,
  sampleFile,
  sampleWithout,
} from "../../support/dicom/dicom-sample.ts";
import { ultrasound } from "../../support/ultrasound-regions.ts";
import { makeBombs } from "../../support/zip/bombs.ts";
import { type TestEntry, writeTestZip } from "../../support/zip/zip-archive.ts";

/** The worker's reading, on bytes that the test holds; counts what was read. */
async function open(files: Record<string, Uint8Array>, limits: Partial<LocalLimits> = {}) {
  const bytesOf = new Map<Blob, Uint8Array>();
  const list = Object.entries(files).map(([path, bytes]) => {
    const blob = new Blob([bytes as BlobPart]);
    bytesOf.set(blob, bytes);
    return { path, blob };
  });
  let readBytes = 0;
  const progress: [number, number][] = [];
  const archive = await openLocalArchive(
    list,
    (blob, offset, length) => {
      const bytes = Uint8Array.from(bytesOf.get(blob)?.subarray(offset, offset + length) ?? []);
      readBytes += bytes.length;
      return bytes;
    },
    {
      limits: { ...LOCAL_LIMITS, ...limits },
      onRead: (read, total) => progress.push([read, total]),
    },
  );
  return { ...archive, progress, readBytes: () => readBytes };
}

const sop = (number: number) => `2.25.30.${number}`;
const slice = (number: number, options: Parameters<typeof sampleFile>[1] = {}, series = "2.25.20") =>
  sampleFile(
    {
      [TagHex.SOPInstanceUID]: { vr: "UI", Value: [sop(number)] },
      [TagHex.SeriesInstanceUID]: { vr: "UI", Value: [series] },
    },
    options,
  );
const dicomdir = () => sampleFile({ [TagHex.SOPClassUID]: { vr: "UI", Value: ["1.2.840.10008.1.3.10"] } });
const series = { studyInstanceUID: "2.25.10", seriesInstanceUID: "2.25.20" };
const zip = (...entries: TestEntry[]) => writeTestZip(entries);

describe("exams on this device", () => {
  test("a ZIP's frames are the bytes that the server would send, whatever their syntax and compression", async () => {
    const files = [
      slice(1),
      slice(2, { transferSyntaxUID: IMPLICIT_LITTLE_ENDIAN }),
      slice(3, { transferSyntaxUID: EXPLICIT_BIG_ENDIAN }),
      slice(4, { transferSyntaxUID: DEFLATED }),
      sampleFile(
        {
          [TagHex.SOPInstanceUID]: { vr: "UI", Value: [sop(5)] },
          [TagHex.NumberOfFrames]: { vr: "IS", Value: [2] },
          [TagHex.PixelData]: { vr: "OB", fragments: [Uint8Array.of(1, 2), Uint8Array.of(3, 4, 5, 6)] },
        },
        { transferSyntaxUID: JPEG_BASELINE },
      ),
    ];
    for (const method of [0, 8]) {
      const archive = await open({
        "exam.zip": zip(...files.map((content, i) => ({ name: `A/IM${i}`, content, method }))),
      });
      for (const content of files) {
        const { sopInstanceUID, frames, transferSyntaxUID, metadata } = readTaken(content);
        const last = frames.kind === "none" ? 0 : frames.frameCount - 1;
        const frame = archive.frame(sopInstanceUID, last);
        expect(Buffer.from(frame.bytes).toString("hex")).toBe(
          Buffer.from(cutFrameOf(content, last)).toString("hex"),
        );
        expect(frame.transferSyntaxUID).toBe(
          transferSyntaxUID === DEFLATED ? "1.2.840.10008.1.2.1" : transferSyntaxUID,
        );
        const shown = archive
          .metadata(series)
          .find((one) => one[TagHex.SOPInstanceUID]?.Value?.[0] === sopInstanceUID);
        for (const tag of [TagHex.PatientName, TagHex.Rows, TagHex.PixelData]) {
          expect(shown?.[tag]).toEqual(metadata[tag]);
        }
      }
    }
  });

  test("ultrasound keeps the regions by which it is measured", async () => {
    const regions = ultrasound([{ from: [0, 0], to: [1, 1], delta: [0.02, 0.01] }], { rows: 2, columns: 2 });
    const archive = await open({ IM1: sampleFile(regions) });
    const [shown] = archive.metadata(series);
    expect(shown?.[TagHex.SequenceOfUltrasoundRegions]).toEqual(regions[TagHex.SequenceOfUltrasoundRegions]);
  });

  test("a folder's DICOMDIR, documents and other files are left out, and the largest exam comes first", async () => {
    const other = sampleFile({
      [TagHex.StudyInstanceUID]: { vr: "UI", Value: ["2.25.11"] },
      [TagHex.SOPInstanceUID]: { vr: "UI", Value: ["2.25.99"] },
    });
    const { exams, progress } = await open({
      "CD/OTHER": other,
      "CD/DICOMDIR": dicomdir(),
      "CD/READ.ME": Buffer.from("nothing here ".repeat(40)),
      "CD/VIEWER.EXE": new Uint8Array(400),
      "CD/IM1": slice(1),
      "CD/IM2": slice(2),
      "CD/CUT": slice(3).subarray(0, 600),
    });
    expect(exams.studies.map(({ studyInstanceUID }) => studyInstanceUID)).toEqual(["2.25.10", "2.25.11"]);
    expect(exams.studies[0]).toMatchObject({
      about: { studyDescription: "Crânio sem contraste", patientName: "Conceição^João" },
      series: [{ instanceCount: 2, description: "Axial 5 mm", modality: "CT", seriesNumber: 3 }],
    });
    expect(exams).toMatchObject({ isCut: false, files: 7, transferSyntaxUIDs: ["1.2.840.10008.1.2.1"] });
    expect(progress.at(-1)).toEqual([6, 6]);
  });

  test("a series with nothing to show is not among those of an exam with images", async () => {
    const empty = writeInstance({
      transferSyntaxUID: EXPLICIT_LITTLE_ENDIAN,
      elements: {
        ...sampleWithout(TagHex.PixelData),
        [TagHex.SOPInstanceUID]: { vr: "UI", Value: [sop(9)] },
        [TagHex.SeriesInstanceUID]: { vr: "UI", Value: ["2.25.21"] },
        [TagHex.Modality]: { vr: "CS", Value: ["DOC"] },
      },
    });
    const modalities = async (files: Record<string, Uint8Array>) =>
      (await open(files)).exams.studies.flatMap(({ series }) => series.map(({ modality }) => modality));
    expect(await modalities({ NONE: empty, IM1: slice(1) })).toEqual(["CT"]);
    expect(await modalities({ NONE: empty })).toEqual(["DOC"]);
  });

  test("series are in the order of their numbers, in whatever order their files are read", async () => {
    const files = [11, 2, undefined, 1].map((number, at) => [
      `IM${at}`,
      sampleFile({
        [TagHex.SOPInstanceUID]: { vr: "UI", Value: [sop(at)] },
        [TagHex.SeriesInstanceUID]: { vr: "UI", Value: [`2.25.20.${at}`] },
        [TagHex.SeriesNumber]: { vr: "IS", Value: number === undefined ? [] : [number] },
      }),
    ]);
    const { exams } = await open(Object.fromEntries(files));
    const [study] = exams.studies;
    expect(study?.series.map(({ seriesNumber }) => seriesNumber)).toEqual([1, 2, 11, null]);
  });

  test("a ZIP without a name is read by its bytes, as Android shares it", async () => {
    const { exams } = await open({ shared: zip({ name: "IM1", content: slice(1) }) });
    expect(exams.studies).toHaveLength(1);
  });

  test("files without an image give no exam", async () => {
    const photos = zip({ name: "a.png", content: new Uint8Array(999) });
    expect((await open({ "photos.zip": photos })).exams.studies).toEqual([]);
    expect((await open({ "no.zip": Buffer.from("PK no ZIP at all") })).exams.studies).toEqual([]);
  });

  test("an instance that is there twice is shown once", async () => {
    const { exams } = await open({ a: slice(1), b: slice(1) });
    expect(exams.studies[0]?.series[0]?.instanceCount).toBe(1);
  });

  test("a film keeps how long each of its frames is shown, however many it has", async () => {
    const times = ["0", ...Array.from({ length: 99 }, (_, i) => (i % 2 ? "40" : "80"))];
    const film = sampleFile({
      [TagHex.NumberOfFrames]: { vr: "IS", Value: ["100"] },
      [TagHex.FrameTimeVector]: { vr: "DS", Value: times },
    });
    const [instance] = (await open({ film })).metadata({ ...series });
    expect(instance?.[TagHex.FrameTimeVector]?.Value).toEqual(times.map(Number));
  });

  test("one instance is read without reading the pixels of the others", async () => {
    const big = sampleFile({
      [TagHex.Rows]: { vr: "US", Value: [1024] },
      [TagHex.Columns]: { vr: "US", Value: [1024] },
      [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array(2 * 1024 * 1024) },
    });
    const archive = await open({ "exam.zip": zip({ name: "IM1", content: big, method: 0 }) });
    expect(archive.readBytes()).toBeLessThan(400 * 1024);
    expect(archive.frame("2.25.30", 0).bytes.length).toBe(2 * 1024 * 1024);
  });
});

describe("hostile files on this device", () => {
  test("an entry of 4 kB that claims 3 GB is left out", async () => {
    const content = slice(1);
    const lying = { name: "LIE", content, method: 8, central: { sizeBytes: 3 * 1024 ** 3 } };
    const { exams } = await open({ "exam.zip": zip(lying, { name: "IM2", content: slice(2) }) });
    expect(exams.studies[0]?.series[0]?.instanceCount).toBe(1);
  });

  test("an entry that inflates to more than it claims is read up to its claim", async () => {
    const content = slice(1);
    const stored = deflateRawSync(Buffer.concat([content, new Uint8Array(64 * 1024 * 1024)]));
    const archive = await open({ "exam.zip": zip({ name: "IM1", content, stored, method: 8 }) });
    expect(archive.frame(sop(1), 0).bytes).toEqual(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8));
  });

  test("opening ends at the bytes that may be inflated, and says so", async () => {
    const content = Buffer.concat([slice(1), new Uint8Array(8 * 1024 * 1024)]);
    const entries = [1, 2, 3].map((i) => ({ name: `IM${i}`, content, method: 8 }));
    const { exams } = await open({ "exam.zip": zip(...entries) }, { maxOpeningBytes: 4 * 1024 * 1024 });
    expect(exams.isCut).toBe(true);
  });

  test("more files, instances, series or metadata than fit are not held, and that is said", async () => {
    const files = { a: slice(1), b: slice(2), c: slice(3, {}, "2.25.21") };
    for (const limits of [{ maxFiles: 2 }, { maxInstances: 2 }, { maxSeries: 1 }, { maxIndexBytes: 3_000 }]) {
      const { exams } = await open(files, limits);
      const count = exams.studies
        .flatMap((study) => study.series)
        .reduce((n, one) => n + one.instanceCount, 0);
      expect(exams.isCut).toBe(true);
      expect(count).toBeLessThan(3);
      expect(count).toBeGreaterThan(0);
    }
  });

  test("bombs are read within seconds and their frames fail with a reason", async () => {
    for (const bomb of await makeBombs(0.005)) {
      const archive = await open({ "bomb.zip": bomb.zip }, { maxOpeningBytes: 64 * 1024 * 1024 });
      for (const { studyInstanceUID, series: found } of archive.exams.studies) {
        for (const { seriesInstanceUID } of found) archive.metadata({ studyInstanceUID, seriesInstanceUID });
      }
      try {
        expect(archive.frame(bomb.sopInstanceUID, 0).bytes.length).toBeLessThan(LOCAL_LIMITS.maxFrameBytes);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }
  });

  test("100,000 entries that are no images are passed over", async () => {
    const content = new Uint8Array(4);
    const entries = Array.from({ length: 100_000 }, (_, i) => ({ name: `F${i}`, content, method: 0 }));
    const { exams } = await open({ "many.zip": writeTestZip(entries, { zip64: true }) });
    expect(exams).toMatchObject({ studies: [], files: 100_000, isCut: false });
  });
});

function cutFrameOf(file: Uint8Array, frameIndex: number): Uint8Array {
  const { frames, transferSyntaxUID } = readTaken(file);
  if (transferSyntaxUID === DEFLATED) return Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
  return cutFrame(file, frames, frameIndex) ?? new Uint8Array();
}
