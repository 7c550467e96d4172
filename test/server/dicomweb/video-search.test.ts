import { expect, test } from "bun:test";
import { readInstance } from "../../../src/server/dicom/read-instance.ts";
import { memorySource } from "../../../src/shared/dicom/reading/memory-source.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { dicomwebApp } from "../../support/app/dicomweb-app.ts";
import { createMemoryCatalogue } from "../../support/app/memory-catalogue.ts";
import { sampleFile } from "../../support/dicom/dicom-sample.ts";
import { pixels, STUDY, sampleStudies } from "./sample-study.ts";

const MPEG_4 = "1.2.840.10008.1.2.4.102";
const VIDEO = `${STUDY}.3.1`;

/** A video of 30 frames, which is one item, beside the images of the sample study. */
function appWithVideo() {
  const bytes = sampleFile(
    {
      [TagHex.StudyInstanceUID]: { vr: "UI", Value: [STUDY] },
      [TagHex.SeriesInstanceUID]: { vr: "UI", Value: [`${STUDY}.3`] },
      [TagHex.SOPInstanceUID]: { vr: "UI", Value: [VIDEO] },
      [TagHex.NumberOfFrames]: { vr: "IS", Value: [30] },
      [TagHex.PixelData]: { vr: "OB", fragments: [pixels(1, 20)], offsetTable: [] },
    },
    { transferSyntaxUID: MPEG_4 },
  );
  const read = readInstance(memorySource(bytes));
  if (!read.ok) throw new Error(read.reason);
  const catalogue = createMemoryCatalogue([{ bytes, instance: read.instance }, ...sampleStudies()]);
  const app = dicomwebApp(() => catalogue);
  return async (query: string) => {
    const response = await app.request(`/dicomweb/t/x/studies/${STUDY}/instances${query}`);
    const found =
      response.status === 204 ? [] : ((await response.json()) as Record<string, { Value: unknown[] }>[]);
    return found.map((one) => [one[TagHex.SOPInstanceUID]?.Value[0], one[TagHex.NumberOfFrames]?.Value[0]]);
  };
}

test("a search says how many frames a video has, and finds it by them", async () => {
  const search = appWithVideo();
  expect(await search(`?SOPInstanceUID=${VIDEO}`)).toEqual([[VIDEO, 30]]);
  expect(await search("?NumberOfFrames=30")).toEqual([[VIDEO, 30]]);
  expect(await search("?NumberOfFrames=30&offset=1")).toEqual([]);
  expect((await search("?NumberOfFrames=1")).map(([uid]) => uid)).not.toContain(VIDEO);
});

test("images are found by their number of frames as before", async () => {
  expect(await appWithVideo()("?NumberOfFrames=3")).toEqual([[`${STUDY}.2.1`, 3]]);
});
