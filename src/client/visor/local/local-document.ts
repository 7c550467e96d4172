import { documentKindOf } from "../../../shared/dicom/document-kind.ts";
import { findElement } from "../../../shared/dicom/reading/data-set.ts";
import { integerValue } from "../../../shared/dicom/reading/element-text.ts";
import type { ByteSource } from "../../../shared/dicom/reading/instance.ts";
import { parseFile } from "../../../shared/dicom/reading/parse-file.ts";
import { readInstance } from "../../../shared/dicom/reading/read-instance.ts";
import { Tag } from "../../../shared/dicom/tags.ts";
import { isPdf } from "../../../shared/is-pdf.ts";
import { MAX_REPORT_JSON_BYTES } from "../../../shared/structured-report/content-items.ts";
import { MAX_DOCUMENT_BYTES } from "../core/document-answer.ts";
import { SourceUnreadable } from "../core/source.ts";
import { inflateDataSet } from "./local-bytes.ts";
import { MAX_INFLATED_ENTRY_BYTES } from "./local-entries.ts";
import type { LocalDocument } from "./local-files.ts";

const OPTIONS = { maxInflatedBytes: MAX_INFLATED_ENTRY_BYTES };

/** Reads a document's file. @throws {SourceUnreadable} if it has nothing to read, or too much */
export function readLocalDocument(source: ByteSource): LocalDocument {
  const read = readInstance(source, inflateDataSet, OPTIONS);
  const kind = read.ok ? documentKindOf(read.instance.sopClassUID) : undefined;
  if (!read.ok || !kind) throw new SourceUnreadable("no document");
  if (kind !== "report") return { kind, bytes: encapsulated(source, kind) };
  const { metadata } = read.instance;
  if (JSON.stringify(metadata).length > MAX_REPORT_JSON_BYTES) throw new SourceUnreadable("a long report");
  return { kind, report: metadata };
}

/** The document of an Encapsulated PDF or CDA (PS3.3 §A.45), without the byte that pads one of an odd length (PS3.5 §6.2). */
function encapsulated(file: ByteSource, kind: "pdf" | "cda"): Uint8Array<ArrayBuffer> {
  const { reader, source, file: parsed } = parseFile(file, inflateDataSet, OPTIONS);
  const value = findElement(parsed.dataSet, Tag.EncapsulatedDocument);
  if (!value?.length || value.length > MAX_DOCUMENT_BYTES)
    throw new SourceUnreadable("no document, or a long one");
  const declared = integerValue(reader, parsed.dataSet, Tag.EncapsulatedDocumentLength);
  const sizeBytes = declared === value.length - 1 ? declared : value.length;
  // A copy: the bytes are handed to another thread.
  const bytes = source.read(value.offset, sizeBytes).slice();
  if (kind === "pdf" && !isPdf(bytes)) throw new SourceUnreadable("no PDF");
  return bytes;
}
