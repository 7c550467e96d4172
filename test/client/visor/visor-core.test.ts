import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import type { SeriesUIDs, StackSource } from "../../../src/client/visor/core/source.ts";
import { takeVisorCore } from "../../../src/client/visor/view/visor-core.ts";
import type { DicomJson } from "../../../src/shared/dicom/dicom-json.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { withDom } from "../../support/client/dom.ts";
import { until } from "../../support/until.ts";

withDom();

const [IMAGES, DOCUMENTS] = ["2.25.2", "2.25.3"];

function seriesOf(seriesInstanceUID: string, modality: string, instanceCount: number) {
  const [studyInstanceUID, seriesNumber, description] = ["2.25.1", 1, ""];
  return { studyInstanceUID, seriesInstanceUID, seriesNumber, modality, description, instanceCount };
}

const slices = Array.from({ length: 100 }, (_, at): DicomJson => {
  const us = { vr: "US", Value: [2] };
  return {
    [TagHex.SOPInstanceUID]: { vr: "UI", Value: [`2.25.9.${at}`] },
    [TagHex.InstanceNumber]: { vr: "IS", Value: [at] },
    [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["MONOCHROME2"] },
    ...{ [TagHex.Rows]: us, [TagHex.Columns]: us },
  };
});

test("documents beside the images get their titles though the first image never came, once another is seen", async () => {
  const read: string[] = [];
  const source: StackSource = {
    listSeries: async () => [seriesOf(IMAGES, "CT", 100), seriesOf(DOCUMENTS, "DOC", 1)],
    readMetadata: async ({ seriesInstanceUID }: SeriesUIDs) => {
      read.push(seriesInstanceUID);
      return seriesInstanceUID === IMAGES ? slices : [];
    },
    // The one that is seen later fails; the others never come.
    readFrame: ({ sopInstanceUID }, { signal }) =>
      sopInstanceUID === "2.25.9.0"
        ? Promise.reject(new TypeError("no such image"))
        : new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    readDocument: () => Promise.reject(new TypeError("none is asked for")),
  };
  const core = takeVisorCore(source, { isBeside: true });
  core.open("2.25.1");
  await until(() => core.model.state.index === 49);
  expect(read).toEqual([IMAGES]);
  core.model.seek(0);
  await until(() => read.includes(DOCUMENTS));
  core.close();
});
