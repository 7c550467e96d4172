import { zipSync } from "fflate";
import { writeReportPdf } from "../../../scripts/demo/pdf.ts";
import { type DicomElements, writeInstance } from "../../../src/server/dicom/write-instance.ts";
import { ENCAPSULATED_CDA, ENCAPSULATED_PDF } from "../../../src/shared/dicom/sop-class.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { EXPLICIT_LITTLE_ENDIAN, sampleWithout } from "./dicom-sample.ts";

/** The PDF of {@link pdfOf}. */
export const pdf = writeReportPdf({
  patient: { name: "Inês Assunção", birthDate: "14/03/1966" },
  title: "Densitometria óssea",
  paragraphs: ["Resultado:", "Densidade mineral óssea dentro do esperado para a idade."],
  signature: "Dra. Lívia Monteiro Sá",
});

const text = (vr: string, ...values: unknown[]) => ({ vr, Value: values });
const code = (meaning: string) =>
  text("SQ", {
    [TagHex.CodeValue]: text("SH", "1"),
    [TagHex.CodingSchemeDesignator]: text("SH", "99EX"),
    [TagHex.CodeMeaning]: text("LO", meaning),
  });
const line = (name: string, value: string) => ({
  [TagHex.RelationshipType]: text("CS", "CONTAINS"),
  [TagHex.ValueType]: text("CS", "TEXT"),
  [TagHex.ConceptNameCodeSequence]: code(name),
  [TagHex.TextValue]: text("UT", value),
});
/** Of the report. */
const LINES = 60;

/** Elements of an instance without pixels. */
const blank = sampleWithout(
  TagHex.PixelData,
  TagHex.Rows,
  TagHex.Columns,
  TagHex.SamplesPerPixel,
  TagHex.PhotometricInterpretation,
  TagHex.BitsAllocated,
  TagHex.PixelRepresentation,
);

/** An Encapsulated PDF. */
export const pdfOf = (title: string, bytes: Uint8Array = pdf): DicomElements => ({
  [TagHex.SOPClassUID]: text("UI", ENCAPSULATED_PDF),
  [TagHex.Modality]: text("CS", "DOC"),
  [TagHex.SeriesNumber]: text("IS", 8),
  [TagHex.SeriesDescription]: text("LO", "Documentos"),
  [TagHex.DocumentTitle]: text("ST", title),
  [TagHex.EncapsulatedDocument]: { vr: "OB", bytes },
  [TagHex.MIMETypeOfEncapsulatedDocument]: text("LO", "application/pdf"),
  [TagHex.EncapsulatedDocumentLength]: text("UL", bytes.length),
});

/** A clinical document of an odd length, which its file pads. With a style sheet and a script that nothing may run. */
export const cda = Buffer.from(
  `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="cda.xsl"?>
<ClinicalDocument xmlns="urn:hl7-org:v3"><title>Sumário de alta </title>
<h:script xmlns:h="http://www.w3.org/1999/xhtml">top.ran = 1</h:script></ClinicalDocument>`,
);

/** An Encapsulated CDA. */
export const cdaOf = (title: string, bytes: Uint8Array = cda): DicomElements => ({
  ...pdfOf(title, bytes),
  [TagHex.SOPClassUID]: text("UI", ENCAPSULATED_CDA),
  [TagHex.MIMETypeOfEncapsulatedDocument]: text("LO", "text/XML"),
});

/** A structured report with markup in a text, and links. */
export const report: DicomElements = {
  [TagHex.SOPClassUID]: text("UI", "1.2.840.10008.5.1.4.1.1.88.33"),
  [TagHex.Modality]: text("CS", "SR"),
  [TagHex.SeriesNumber]: text("IS", 9),
  [TagHex.SeriesDescription]: text("LO", "Dose"),
  [TagHex.ValueType]: text("CS", "CONTAINER"),
  [TagHex.ConceptNameCodeSequence]: code("Medidas do crânio"),
  [TagHex.ContentSequence]: text(
    "SQ",
    line("Nota", "<script>top.ran = 1</script><img src=x onerror='top.ran = 1'>"),
    ...[LINES, 20].map((place) => ({
      [TagHex.RelationshipType]: text("CS", "INFERRED FROM"),
      [TagHex.ReferencedContentItemIdentifier]: text("UL", 1, place),
    })),
    ...Array.from({ length: LINES }, (_, at) => line(`Medida ${at + 1}`, `${at + 1},5 mm`)),
  ),
};

/** A ZIP of documents of one study, each in a series of its own. */
export function zipDocuments(studyInstanceUID: string, documents: readonly DicomElements[]): Uint8Array {
  return zipSync(documentFiles(studyInstanceUID, documents));
}

/** The files of such a ZIP. */
export function documentFiles(
  studyInstanceUID: string,
  documents: readonly DicomElements[],
  transferSyntaxUID = EXPLICIT_LITTLE_ENDIAN,
): Record<string, Uint8Array> {
  const files = documents.map((elements, at) => {
    const uids = {
      [TagHex.StudyInstanceUID]: text("UI", studyInstanceUID),
      [TagHex.SeriesInstanceUID]: text("UI", `${studyInstanceUID}.${at + 90}`),
      [TagHex.SOPInstanceUID]: text("UI", `${studyInstanceUID}.${at + 90}.1`),
    };
    const bytes = writeInstance({
      transferSyntaxUID,
      elements: { ...blank, ...uids, ...elements },
    });
    return [`DOC${at}`, bytes] as const;
  });
  return Object.fromEntries(files);
}
