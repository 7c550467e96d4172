import { expect, test } from "bun:test";
import type { SeriesRecord, StackSource } from "../../../src/client/visor/core/source.ts";
import { createVisorModel } from "../../../src/client/visor/core/visor-model.ts";
import type { DicomJson } from "../../../src/shared/dicom/dicom-json.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { until } from "../../support/until.ts";

const STUDY = "2.25.1";
const [LARGE, MIDDLE, SMALL] = ["2.25.10", "2.25.20", "2.25.30"];

const series = (seriesInstanceUID: string, instanceCount: number): SeriesRecord => ({
  studyInstanceUID: STUDY,
  seriesInstanceUID,
  seriesNumber: 1,
  modality: "MR",
  description: "",
  instanceCount,
});

/** Answers for the metadata of each series when the test says so. */
function openSource() {
  const answers = new Map([LARGE, MIDDLE, SMALL].map((uid) => [uid, Promise.withResolvers<DicomJson[]>()]));
  const source: StackSource = {
    listSeries: async () => [series(LARGE, 3), series(MIDDLE, 2), series(SMALL, 1)],
    readMetadata: ({ seriesInstanceUID }) =>
      answers.get(seriesInstanceUID)?.promise ?? Promise.reject(new TypeError("no such series")),
    readFrame: () => Promise.reject(new TypeError("no frame")),
  };
  const arrive = (uid: string) => answers.get(uid)?.resolve([instance(uid)]);
  return { source, arrive };
}

function instance(seriesInstanceUID: string): DicomJson {
  return {
    [TagHex.SOPInstanceUID]: { vr: "UI", Value: [`${seriesInstanceUID}.1`] },
    [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["MONOCHROME2"] },
    [TagHex.Rows]: { vr: "US", Value: [2] },
    [TagHex.Columns]: { vr: "US", Value: [2] },
  };
}

test("a series that arrives late does not take the place of one that was chosen after it", async () => {
  const { source, arrive } = openSource();
  const model = createVisorModel(source);
  const shown = () => model.state.stack?.series.seriesInstanceUID;
  arrive(LARGE);
  await model.open(STUDY);
  const late = model.showSeries(MIDDLE);
  arrive(SMALL);
  await model.showSeries(SMALL);
  expect(shown()).toBe(SMALL);
  arrive(MIDDLE);
  await late;
  expect(shown()).toBe(SMALL);
});

test("the series that a study begins with does not take the place of one that was chosen meanwhile", async () => {
  const { source, arrive } = openSource();
  const model = createVisorModel(source);
  const opening = model.open(STUDY);
  await until(async () => model.state.entries.length === 3);
  arrive(SMALL);
  await model.showSeries(SMALL);
  arrive(LARGE);
  await opening;
  expect(model.state.stack?.series.seriesInstanceUID).toBe(SMALL);
});

test("a study that is opened again after a failure knows the series that it had read before", async () => {
  const { source, arrive } = openSource();
  let tries = 0;
  const model = createVisorModel({
    ...source,
    readMetadata: async (of, signal) => {
      if (of.seriesInstanceUID === LARGE) return [];
      if (of.seriesInstanceUID === MIDDLE && tries++ === 0) throw new TypeError("lost");
      return await source.readMetadata(of, signal);
    },
  });
  await model.open(STUDY);
  expect(model.state.phase).toBe("failed");
  arrive(MIDDLE);
  await model.open(STUDY);
  expect(model.state.phase).toBe("ready");
  const entry = model.state.entries.find(({ series }) => series.seriesInstanceUID === LARGE);
  expect(entry).toMatchObject({ state: "ready", stacks: [] });
});
