import { describe, expect, test } from "bun:test";
import { filmOf } from "../../../src/client/features/upload/look-inside/contents.ts";
import { lookInWorker } from "../../../src/client/features/upload/look-inside/look-in-worker.ts";
import { lookInside } from "../../../src/client/features/upload/look-inside/look-inside.ts";
import {
  CONTENT_LIMITS,
  type ContentLimits,
  readContents,
} from "../../../src/client/features/upload/look-inside/read-contents.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { sampleFile } from "../../support/dicom/dicom-sample.ts";
import { type SampleInstance, sampleInstance } from "../../support/zip/sample-zip.ts";

const fileOf = (bytes: Uint8Array | string) => ({ file: new Blob([bytes as BlobPart]) });
const filesOf = (...instances: SampleInstance[]) => instances.map((one) => fileOf(sampleInstance(one)));
const quiet = () => {};
const limitsOf = (limits: Partial<ContentLimits>) => ({ ...CONTENT_LIMITS, now: () => 0, ...limits });

describe("what the picked files hold", () => {
  test("is counted by exam and series, with patient, modality and the middle image's picture", async () => {
    const light = Uint8Array.of(255, 0, 255, 0, 255, 0, 255, 0);
    const bright = { [TagHex.PixelData]: { vr: "OW", bytes: light } } as const;
    const files = [
      ...filesOf({ instanceNumber: 3 }, { sop: "2", instanceNumber: 2, elements: bright }, { sop: "3" }),
      ...filesOf({ series: "2" }, { study: "2" }),
      fileOf("not DICOM at all"),
    ];
    const { contents } = await lookInside(files, quiet);
    expect(contents.isComplete).toBe(true);
    expect(contents.studies.map(({ images, series }) => [images, series.map((one) => one.images)])).toEqual([
      [4, [3, 1]],
      [1, [1]],
    ]);
    const [first] = contents.studies;
    expect([first?.about.patientName, first?.about.description, first?.modalities]).toEqual([
      "João Conceição",
      "Crânio sem contraste",
      ["CT"],
    ]);
    expect(first && filmOf(first)).toHaveLength(64 * 64);
  });

  test("is the same in a worker", async () => {
    const files = filesOf({}, { study: "2" });
    const signal = new AbortController().signal;
    expect(await lookInWorker(files, { onRead: quiet, signal })).toEqual(await lookInside(files, quiet));
  });

  test("is found even if its identifiers come late in the file", async () => {
    const late = sampleFile({ "00091010": { vr: "OB", bytes: new Uint8Array(40_000) } });
    const { contents } = await lookInside([fileOf(late)], quiet);
    expect(contents.studies).toHaveLength(1);
  });
});

describe("the reading ends, whatever the files hold, after so many", () => {
  const hostile = filesOf(...Array.from({ length: 12 }, (_, n) => ({ study: String(n), series: String(n) })));
  const read = async (limits: Partial<ContentLimits>) => {
    const { studies, isComplete } = await readContents(hostile, limitsOf(limits), quiet);
    expect(isComplete).toBe(false);
    return studies.length;
  };

  test("files", async () => expect(await read({ maxFiles: 5 })).toBe(5));
  test("exams", async () => expect(await read({ maxStudies: 4 })).toBe(4));
  test("series", async () => expect(await read({ maxSeries: 3 })).toBe(3));
  test("seconds", async () => {
    let ms = 0;
    expect(await read({ now: () => ms++, readingMs: 6 })).toBeLessThan(12);
  });
  test("files that have to be read further", async () => {
    const late = sampleFile({ "00091010": { vr: "OB", bytes: new Uint8Array(40_000) } });
    const files = Array.from({ length: 3 }, () => fileOf(late));
    const { studies } = await readContents(files, limitsOf({ maxDeepReads: 1 }), quiet);
    expect(studies[0]?.images).toBe(1);
  });
  test("bytes of pictures", async () => {
    const { studies } = await readContents(hostile, limitsOf({ filmBytes: 0 }), quiet);
    expect(studies.flatMap(({ series }) => series.filter(({ film }) => film))).toEqual([]);
  });
});
