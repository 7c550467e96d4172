import { ENCAPSULATED_PDF } from "../../../shared/dicom/sop-class.ts";
import { Tag, TagHex } from "../../../shared/dicom/tags.ts";
import { TransferSyntax } from "../../../shared/dicom/transfer-syntax.ts";
import {
  type DicomElements,
  elementHeader,
  encodeDataSet,
  writeInstance,
} from "../../dicom/write-instance.ts";

/** A UID that follows from a UUID (PS3.5 §B.2). */
export function uidOfUuid(uuid: string): string {
  return `2.25.${BigInt(`0x${uuid.replaceAll("-", "")}`)}`;
}

/** A UID for what belongs to the laudo, the same each time. */
function uidFor(purpose: string, objectId: string): string {
  const hash = new Bun.CryptoHasher("sha256").update(`${purpose} ${objectId}`).digest("hex");
  return `2.25.${BigInt(`0x${hash.slice(0, 32)}`)}`;
}

const text = (vr: string, ...Value: string[]) => ({ vr, Value: Value.filter((value) => value !== "") });

/** The elements of a laudo as an instance of its study, without the PDF itself (PS3.3 §A.45.1). */
export function reportElements(
  study: DicomElements,
  report: { objectId: string; attachedAt: Date; sizeBytes: number },
): DicomElements {
  const [date = "", time = ""] = report.attachedAt.toISOString().replace(/[-:]/g, "").split("T");
  return {
    ...study,
    [TagHex.SpecificCharacterSet]: text("CS", "ISO_IR 192"),
    [TagHex.SOPClassUID]: text("UI", ENCAPSULATED_PDF),
    [TagHex.SOPInstanceUID]: text("UI", uidOfUuid(report.objectId)),
    [TagHex.SeriesInstanceUID]: text("UI", uidFor("series", report.objectId)),
    [TagHex.ContentDate]: text("DA", date),
    [TagHex.ContentTime]: text("TM", time.slice(0, 6)),
    [TagHex.AcquisitionDateTime]: text("DT"),
    [TagHex.Modality]: text("CS", "DOC"),
    [TagHex.ConversionType]: text("CS", "WSD"),
    [TagHex.Manufacturer]: text("LO"),
    [TagHex.SeriesNumber]: text("IS", "9999"),
    [TagHex.InstanceNumber]: text("IS", "1"),
    [TagHex.BurnedInAnnotation]: text("CS", "YES"),
    [TagHex.DocumentTitle]: text("ST", "Laudo"),
    [TagHex.ConceptNameCodeSequence]: {
      vr: "SQ",
      Value: [
        {
          [TagHex.CodeValue]: text("SH", "18748-4"),
          [TagHex.CodingSchemeDesignator]: text("SH", "LN"),
          [TagHex.CodeMeaning]: text("LO", "Diagnostic imaging report"),
        },
      ],
    },
    [TagHex.MIMETypeOfEncapsulatedDocument]: text("LO", "application/pdf"),
    [TagHex.EncapsulatedDocumentLength]: { vr: "UL", Value: [report.sizeBytes] },
  };
}

const ENCODING = { explicit: true, littleEndian: true, undefinedLengths: false, utf8: true };

/** The instance with its PDF, in pieces, so that the PDF is in memory only once. */
export function encapsulateReport(elements: DicomElements, pdf: Uint8Array): Uint8Array[] {
  const isBehind = (tag: string) => tag > TagHex.EncapsulatedDocument;
  const entries = Object.entries(elements);
  const before = Object.fromEntries(entries.filter(([tag]) => !isBehind(tag)));
  const behind = Object.fromEntries(entries.filter(([tag]) => isBehind(tag)));
  const padding = new Uint8Array(pdf.length % 2);
  return [
    writeInstance({ transferSyntaxUID: TransferSyntax.explicitLittleEndian, elements: before }),
    elementHeader(Tag.EncapsulatedDocument, "OB", pdf.length + padding.length, ENCODING),
    pdf,
    padding,
    encodeDataSet(behind, ENCODING),
  ];
}
