import { expect, test } from "bun:test";
import { createVisitedSource } from "../../../src/client/features/visit/visited-source.ts";
import type { VisitedStudy } from "../../../src/shared/api/links.ts";

const STUDY = "2.25.1";
const signal = new AbortController().signal;

function studyOf(images: number[], seriesCount = images.length): VisitedStudy {
  const series = images.map((imagesReceived, i) => ({
    ...{ id: `${i}`, seriesInstanceUID: `2.25.1.${i}`, seriesDescription: null, seriesNumber: i },
    ...{ modality: "CT", imagesReceived },
  }));
  return { studyInstanceUID: STUDY, seriesCount, series } as unknown as VisitedStudy;
}

function open(study: VisitedStudy, answers: (Response | Error)[] = []) {
  const asked: string[] = [];
  const get = async (url: string) => {
    asked.push(url);
    const answer = answers.shift() ?? Response.json([{}]);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { asked, source: createVisitedSource({ token: "v.t" }, study, { viewerOrigin: "", get }) };
}

const metadataOf = (series: string) => `/dicomweb/t/v.t/studies/${STUDY}/series/${series}/metadata`;

test("a visit's series are listed without a request, and the largest one's metadata are read once, ahead", async () => {
  const { asked, source } = open(studyOf([3, 200, 5]));
  source.warm();
  const series = await source.listSeries(STUDY, signal);
  expect(series.map(({ instanceCount }) => instanceCount)).toEqual([3, 200, 5]);
  const [small, largest] = series;
  if (!small || !largest) throw new Error("no series");
  expect(await source.readMetadata(largest, signal)).toEqual([{}]);
  expect(asked).toEqual([metadataOf("2.25.1.1")]);
  await source.readMetadata(small, signal);
  expect(asked).toEqual([metadataOf("2.25.1.1"), metadataOf("2.25.1.0")]);
});

test("what did not come ahead is asked for again", async () => {
  const { asked, source } = open(studyOf([2]), [new TypeError("no line")]);
  source.warm();
  const [series] = await source.listSeries(STUDY, signal);
  expect(series && (await source.readMetadata(series, signal))).toEqual([{}]);
  expect(asked).toEqual([metadataOf("2.25.1.0"), metadataOf("2.25.1.0")]);
});

test("a study with more series than a visit tells has them listed by the server", async () => {
  const { asked, source } = open(studyOf([2], 2_001), [Response.json([])]);
  source.warm();
  expect(await source.listSeries(STUDY, signal)).toEqual([]);
  expect(asked).toEqual([`/dicomweb/t/v.t/studies/${STUDY}/series`]);
});
