import { expect, test } from "bun:test";
import { createDicomwebSource } from "../../../src/client/visor/core/dicomweb-source.ts";
import { findDocuments } from "../../../src/client/visor/core/documents.ts";
import {
  type SeriesRecord,
  SourceDamaged,
  SourceEnded,
  SourceMissing,
  SourceUnreadable,
  type StackSource,
} from "../../../src/client/visor/core/source.ts";
import { createVisorModel } from "../../../src/client/visor/core/visor-model.ts";
import type { DicomJson } from "../../../src/shared/dicom/dicom-json.ts";
import { ENCAPSULATED_PDF } from "../../../src/shared/dicom/sop-class.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";

const STUDY = "2.25.1";
const [IMAGES, PDFS, REPORTS, OTHERS, SCANS] = ["2.25.10", "2.25.20", "2.25.30", "2.25.40", "2.25.60"];
const DOSE_REPORT = "1.2.840.10008.5.1.4.1.1.88.67";
const text = (vr: string, ...Value: unknown[]) => ({ vr, Value });

const series = (seriesInstanceUID: string, modality: string, instanceCount: number): SeriesRecord => ({
  studyInstanceUID: STUDY,
  seriesInstanceUID,
  seriesNumber: 1,
  modality,
  description: `de ${modality}`,
  instanceCount,
});

const image: DicomJson = {
  [TagHex.SOPInstanceUID]: text("UI", `${IMAGES}.1`),
  [TagHex.PhotometricInterpretation]: text("CS", "MONOCHROME2"),
  [TagHex.Rows]: text("US", 2),
  [TagHex.Columns]: text("US", 2),
};
const pdf = (sop: string, instanceNumber: number, title?: string): DicomJson => ({
  [TagHex.SOPInstanceUID]: text("UI", sop),
  [TagHex.SOPClassUID]: text("UI", ENCAPSULATED_PDF),
  [TagHex.InstanceNumber]: text("IS", instanceNumber),
  ...(title && { [TagHex.DocumentTitle]: text("ST", title) }),
});
const report: DicomJson = {
  [TagHex.SOPInstanceUID]: text("UI", `${REPORTS}.1`),
  [TagHex.SOPClassUID]: text("UI", DOSE_REPORT),
  [TagHex.ConceptNameCodeSequence]: text("SQ", { [TagHex.CodeMeaning]: text("LO", "Dose de radiação") }),
};
const METADATA: Record<string, DicomJson[]> = {
  [IMAGES]: [image],
  [PDFS]: [pdf(`${PDFS}.2`, 2), pdf(`${PDFS}.1`, 1, "Densitometria")],
  [REPORTS]: [report],
  [SCANS]: [{ ...image, [TagHex.SOPInstanceUID]: text("UI", `${SCANS}.1`) }],
  [OTHERS]: [pdf(`${OTHERS}.1`, 1, "Biometria")],
};

function sourceOf(listed: SeriesRecord[], more: Partial<StackSource> = {}) {
  const read: string[] = [];
  const source: StackSource = {
    listSeries: async () => listed,
    async readMetadata({ seriesInstanceUID }) {
      read.push(seriesInstanceUID);
      return METADATA[seriesInstanceUID] ?? [];
    },
    readFrame: () => Promise.reject(new TypeError("no frame")),
    readDocument: async ({ sopInstanceUID }) => new Blob([sopInstanceUID], { type: "application/pdf" }),
    ...more,
  };
  return { source, read };
}

const titlesOf = (model: ReturnType<typeof createVisorModel>) =>
  model.state.entries.flatMap(({ documents }) => documents).map(({ title }) => title);
const reading = () => ({ language: "pt-BR" as const, signal: new AbortController().signal });

test("documents are named by themselves, else by their series, in the order of their numbers", () => {
  const found = findDocuments(series(PDFS, "DOC", 2), METADATA[PDFS] ?? []);
  expect(found.map(({ title, kind }) => [title, kind])).toEqual([
    ["Densitometria", "pdf"],
    ["de DOC", "pdf"],
  ]);
  const [named] = findDocuments(series(REPORTS, "SR", 1), [report, image]);
  expect([named?.title, named?.kind]).toEqual(["Dose de radiação", "report"]);
});

test("a study shows its images, then learns what its documents are called, and opens none by itself", async () => {
  const listed = [series(PDFS, "DOC", 2), series(IMAGES, "CT", 1), series(REPORTS, "SR", 40)];
  const { source, read } = sourceOf(listed);
  const model = createVisorModel(source);
  await model.open(STUDY);
  expect(read).toEqual([IMAGES, PDFS, REPORTS]);
  expect(model.state.stack?.series.seriesInstanceUID).toBe(IMAGES);
  expect(titlesOf(model)).toEqual(["Densitometria", "de DOC", "Dose de radiação"]);
  expect(model.state.asked).toBeUndefined();
});

test("a series of very many documents is named by its description until one of them is opened", async () => {
  const { source, read } = sourceOf([series(IMAGES, "CT", 1), series(PDFS, "DOC", 5_000)]);
  const model = createVisorModel(source);
  await model.open(STUDY);
  expect(read).toEqual([IMAGES]);
  expect(titlesOf(model)).toEqual(["de DOC"]);
  const [document] = model.state.entries.flatMap(({ documents }) => documents);
  if (!document) throw new Error("no document");
  expect(await (await model.readDocument(document, reading())).text()).toBe(`${PDFS}.1`);
});

test("a series that only its modality calls documents shows its scans when it is opened", async () => {
  const { source } = sourceOf([series(IMAGES, "CT", 1), series(SCANS, "DOC", 5_000)]);
  const model = createVisorModel(source);
  await model.open(STUDY);
  const [document] = model.state.entries.flatMap(({ documents }) => documents);
  if (!document) throw new Error("no document");
  expect(await model.readDocument(document, reading()).catch((error: unknown) => error)).toBeInstanceOf(
    SourceUnreadable,
  );
  expect(model.state.stack?.series.seriesInstanceUID).toBe(SCANS);
});

test("a study that is opened at a document opens it, beside its images", async () => {
  const listed = [series(IMAGES, "CT", 1), series(PDFS, "DOC", 2), series(REPORTS, "SR", 1)];
  const { source } = sourceOf(listed, { beginWith: async () => REPORTS });
  const model = createVisorModel(source);
  await model.open(STUDY);
  expect(model.state.asked?.document.title).toBe("Dose de radiação");
  expect(model.state.stack?.series.seriesInstanceUID).toBe(IMAGES);
});

test("a study of documents alone opens on its first one, and one without either on none", async () => {
  const documents = createVisorModel(sourceOf([series(PDFS, "DOC", 2), series(REPORTS, "SR", 9)]).source);
  await documents.open(STUDY);
  expect(documents.state.phase).toBe("empty");
  expect(documents.state.asked?.document.title).toBe("Densitometria");
  const nothing = createVisorModel(sourceOf([series("2.25.50", "PR", 1)]).source);
  await nothing.open(STUDY);
  expect([nothing.state.phase, nothing.state.asked]).toEqual(["empty", undefined]);
});

test("documents in a series of another modality open when that is pressed, and the arrows pass documents by", async () => {
  const { source } = sourceOf([series(PDFS, "DOC", 2), series(IMAGES, "CT", 1), series(OTHERS, "OT", 1)]);
  const model = createVisorModel(source);
  await model.open(STUDY);
  await model.turn(-1);
  expect(model.state.asked).toBeUndefined();
  await model.showSeries(OTHERS);
  expect(model.state.asked?.document.title).toBe("Biometria");
  const first = model.state.asked;
  await model.showSeries(OTHERS);
  expect(model.state.asked).not.toBe(first);
});

test("where documents can't be read, none is offered", async () => {
  const { readDocument: _, ...source } = sourceOf([series(PDFS, "DOC", 2), series(IMAGES, "CT", 1)]).source;
  const model = createVisorModel(source);
  await model.open(STUDY);
  expect(titlesOf(model)).toEqual([]);
});

const uids = { studyInstanceUID: "1", seriesInstanceUID: "2", sopInstanceUID: "3" };

function readAnswer(answer: () => Response) {
  const asked: { url: string; headers: Headers }[] = [];
  const source = createDicomwebSource({
    base: "/dicomweb/t/token",
    async get(url, { headers }) {
      asked.push({ url, headers: new Headers(headers) });
      return answer();
    },
  });
  const read = source.readDocument?.(uids, reading());
  return { asked, read: read ?? Promise.reject(new Error("no documents")) };
}

test("a document is asked for as it is read, in the reader's language", async () => {
  const page = () => new Response("<p>é</p>", { headers: { "Content-Type": "text/html; charset=utf-8" } });
  const { asked, read } = readAnswer(page);
  const document = await read;
  expect(document.type).toStartWith("text/html");
  expect(await document.text()).toBe("<p>é</p>");
  expect(asked[0]?.url).toBe("/dicomweb/t/token/studies/1/series/2/instances/3/rendered");
  expect(asked[0]?.headers.get("accept")).toBe("application/pdf, text/html, text/xml");
  expect(asked[0]?.headers.get("accept-language")).toBe("pt-BR");
});

test("what can't be read is told from what is damaged, gone, no longer shared, or did not arrive", async () => {
  const failureOf = (answer: () => Response) => readAnswer(answer).read.catch((error: unknown) => error);
  const problem = (status: number, code: string) => () => Response.json({ status, code }, { status });
  expect(await failureOf(problem(422, "rendered.none"))).toBeInstanceOf(SourceUnreadable);
  expect(await failureOf(problem(500, "archive.damaged"))).toBeInstanceOf(SourceDamaged);
  expect(await failureOf(problem(404, "not_found"))).toBeInstanceOf(SourceMissing);
  expect(await failureOf(problem(401, "unauthenticated"))).toBeInstanceOf(SourceEnded);
  const lost = await failureOf(problem(503, "busy"));
  expect(lost).toBeInstanceOf(TypeError);
  expect(lost).not.toBeInstanceOf(SourceUnreadable);
  const type = { "Content-Type": "image/jpeg" };
  expect(await failureOf(() => new Response("x", { headers: type }))).toBeInstanceOf(SourceUnreadable);
  const long = { "Content-Type": "application/pdf", "Content-Length": String(65 * 1024 * 1024) };
  expect(await failureOf(() => new Response("x", { headers: long }))).toBeInstanceOf(SourceUnreadable);
  const unsaid = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)),
  });
  const endless = () => new Response(unsaid, { headers: { "Content-Type": "application/pdf" } });
  expect(await failureOf(endless)).toBeInstanceOf(SourceUnreadable);
});

test("a document's title turns around nothing that stands beside it", () => {
  const [shown] = findDocuments(series(PDFS, "DOC", 1), [pdf(`${PDFS}.1`, 1, "Laudo \u202efdp.exe\u2066")]);
  expect(shown?.title).toBe("Laudo fdp.exe");
});
