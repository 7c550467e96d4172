import { beforeAll, expect, test } from "bun:test";
import { i18n } from "../../../src/client/i18n.ts";
import { findDocuments } from "../../../src/client/visor/core/documents.ts";
import { SourceUnreadable } from "../../../src/client/visor/core/source.ts";
import { openLocalArchive } from "../../../src/client/visor/local/local-archive.ts";
import { documentPage } from "../../../src/client/visor/local/local-document-page.ts";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { DEFLATED, sampleFile } from "../../support/dicom/dicom-sample.ts";
import { cda, cdaOf, documentFiles, pdf, pdfOf, report } from "../../support/dicom/sample-documents.ts";
import { writeTestZip } from "../../support/zip/zip-archive.ts";

const STUDY = "2.25.10";
/** Of an odd length, which its file pads. */
const oddPdf = pdf.length % 2 === 1 ? pdf : Buffer.concat([pdf, Buffer.from("\n")]);

beforeAll(() => i18n.loadAndActivate({ locale: "pt-BR", messages: {} }));

async function open(files: Record<string, Uint8Array>) {
  const bytesOf = new Map<Blob, Uint8Array>();
  const list = Object.entries(files).map(([path, bytes]) => {
    const blob = new Blob([bytes as BlobPart]);
    bytesOf.set(blob, bytes);
    return { path, blob };
  });
  const archive = await openLocalArchive(
    list,
    (blob, offset, length) => Uint8Array.from(bytesOf.get(blob)?.subarray(offset, offset + length) ?? []),
    { onRead: () => undefined },
  );
  const listed = archive.exams.studies.flatMap(({ series }) => series);
  const documents = listed.flatMap((series) => findDocuments(series, archive.metadata(series)));
  const read = (title: string) =>
    archive.document(documents.find((document) => document.title === title)?.sopInstanceUID ?? "");
  return { documents, read };
}

const documentOf = (elements: DicomElements) =>
  Object.values(documentFiles(STUDY, [elements]))[0] ?? new Uint8Array();

test("documents beside images are found by their titles and read whole, in ZIPs and folders", async () => {
  expect(oddPdf.length % 2).toBe(1);
  const files = { IM1: sampleFile(), ...documentFiles(STUDY, [pdfOf("Densitometria", oddPdf), report]) };
  const entries = Object.entries(files).map(([name, content]) => ({ name, content, method: 8 }));
  for (const given of [files, { "exame.zip": writeTestZip(entries) }]) {
    const { documents, read } = await open(given);
    expect(documents.map(({ kind, title }) => [kind, title])).toEqual([
      ["pdf", "Densitometria"],
      ["report", "Medidas do crânio"],
    ]);
    const found = read("Densitometria");
    expect(found.kind === "pdf" && Buffer.from(found.bytes).equals(oddPdf)).toBe(true);
    const page = documentPage(read("Medidas do crânio"), "pt-BR");
    expect(page.type).toStartWith("text/html");
    const html = await page.text();
    expect(html).toContain("60,5 mm");
    expect(html).not.toContain("<script>");
  }
});

test("a document in a deflated data set is read", async () => {
  const { read } = await open(documentFiles(STUDY, [pdfOf("Laudo")], DEFLATED));
  const found = read("Laudo");
  expect(found.kind === "pdf" && Buffer.from(found.bytes).equals(pdf)).toBe(true);
});

test("what holds no PDF, or a report without content, is told to be unreadable", async () => {
  const { read } = await open({ DOC: documentOf(pdfOf("Página", Buffer.from("<html></html>"))) });
  expect(() => read("Página")).toThrow(SourceUnreadable);
  expect(() => read("Outro")).toThrow(SourceUnreadable);
  const { [TagHex.ValueType]: _, ...without } = report;
  const { read: readOther } = await open({ DOC: documentOf(without) });
  expect(() => documentPage(readOther("Medidas do crânio"), "pt-BR")).toThrow(SourceUnreadable);
});

test("a report with more than a page may have is not handed to the page", async () => {
  const long = { vr: "UT", Value: ["x".repeat(900_000)] };
  const item = { [TagHex.ValueType]: { vr: "CS", Value: ["TEXT"] }, [TagHex.TextValue]: long };
  const content = { vr: "SQ", Value: Array.from({ length: 5 }, () => item) };
  const { read } = await open({ DOC: documentOf({ ...report, [TagHex.ContentSequence]: content }) });
  expect(() => read("Medidas do crânio")).toThrow(SourceUnreadable);
});

test("a clinical document is found by its title, and is its XML", async () => {
  const { documents, read } = await open(documentFiles(STUDY, [cdaOf("Sumário de alta")]));
  expect(documents.map(({ kind, title }) => [kind, title])).toEqual([["cda", "Sumário de alta"]]);
  const file = documentPage(read("Sumário de alta"), "pt-BR");
  expect(file.type).toBe("text/xml");
  expect(Buffer.from(await file.arrayBuffer()).equals(cda)).toBe(true);
});
