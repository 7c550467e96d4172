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
  await source.warm();
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
  await source.warm();
  const [series] = await source.listSeries(STUDY, signal);
  expect(series && (await source.readMetadata(series, signal))).toEqual([{}]);
  expect(asked).toEqual([metadataOf("2.25.1.0"), metadataOf("2.25.1.0")]);
});

test("a study with more series than a visit tells has them listed by the server", async () => {
  const { asked, source } = open(studyOf([2], 2_001), [Response.json([])]);
  await source.warm();
  expect(await source.listSeries(STUDY, signal)).toEqual([]);
  expect(asked).toEqual([`/dicomweb/t/v.t/studies/${STUDY}/series`]);
});

test("the first image has the line for itself, and what the others need is read once it has come", async () => {
  const asked: string[] = [];
  const { promise: come, resolve: arrive } = Promise.withResolvers<Response>();
  const source = createVisitedSource({ token: "v.t" }, studyOf([2]), {
    viewerOrigin: "",
    firstImage: (part) => {
      asked.push(part);
      return part === "frame" ? come : Promise.resolve(new Response(null, { status: 204 }));
    },
    get: async (url) => {
      asked.push(url);
      return Response.json([{}]);
    },
  });
  const warming = source.warm();
  await new Promise((resolve) => setTimeout(resolve));
  expect(asked).toEqual(["frame", "metadata"]);
  arrive(new Response(null, { status: 204 }));
  await warming;
  expect(asked).toEqual(["frame", "metadata", metadataOf("2.25.1.0")]);
});
