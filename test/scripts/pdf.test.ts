import { describe, expect, test } from "bun:test";
import { bloodPanel, headCtReport } from "../../scripts/demo/demo-texts.ts";
import { writeLabPdf, writeReportPdf } from "../../scripts/demo/pdf.ts";

const patient = { name: "João Antônio Gonçalves", birthDate: "14/03/1968" };

function textOf(pdf: Uint8Array): string {
  const strings = Buffer.from(pdf)
    .toString("latin1")
    .matchAll(/<([0-9a-f]*)> Tj/g);
  return [...strings]
    .map(([, hex = ""]) => new TextDecoder("windows-1252").decode(Buffer.from(hex, "hex")))
    .join("\n");
}

describe.each([
  ["report", writeReportPdf(headCtReport(patient))],
  ["laboratory", writeLabPdf(bloodPanel(patient))],
])("the %s PDF", (_, pdf) => {
  const source = Buffer.from(pdf).toString("latin1");

  test("begins and ends as a PDF", () => {
    expect(source.startsWith("%PDF-1.4\n")).toBe(true);
    expect(source.endsWith("%%EOF\n")).toBe(true);
  });

  test("has a cross-reference table that points at its objects", () => {
    const table = Number(/startxref\n(\d+)/.exec(source)?.[1]);
    expect(source.slice(table, table + 4)).toBe("xref");
    const offsets = [...source.slice(table).matchAll(/^(\d{10}) 00000 n /gm)].map(([, offset]) =>
      Number(offset),
    );
    expect(offsets.length).toBeGreaterThan(5);
    for (const [i, offset] of offsets.entries())
      expect(source.startsWith(`${i + 1} 0 obj`, offset)).toBe(true);
  });

  test("keeps the accents of the patient's name", () => {
    expect(textOf(pdf)).toContain("Paciente: João Antônio Gonçalves");
  });
});

test("a long report continues on further pages without losing a word", () => {
  const paragraphs = Array.from({ length: 90 }, (_, i) => `Parágrafo número ${i + 1} da avaliação.`);
  const pdf = writeReportPdf({ title: "Laudo", patient, paragraphs });
  const text = textOf(pdf);
  for (const paragraph of paragraphs) expect(text).toContain(paragraph);
  expect(Buffer.from(pdf).toString("latin1")).toMatch(/\/Count [23] /);
});

test("endless text is refused instead of filling the disk", () => {
  const paragraphs = Array.from({ length: 5000 }, () => "texto");
  expect(() => writeReportPdf({ title: "Laudo", patient, paragraphs })).toThrow(RangeError);
});
