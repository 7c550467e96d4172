import type { DicomJson } from "../../../shared/dicom/dicom-json.ts";
import { documentKindOf } from "../../../shared/dicom/document-kind.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { isPdf, MARK_WITHIN_BYTES } from "../../../shared/is-pdf.ts";
import type { Locale } from "../../../shared/locale.ts";
import { MAX_REPORT_JSON_BYTES, ReportUnreadable } from "../../../shared/structured-report/content-items.ts";
import { structuredReportHtml } from "../../../shared/structured-report/structured-report.tsx";
import type { ManifestInstance } from "../../archive/manifest.ts";
import { AppError } from "../../http/app-error.ts";
import type { RangeRequest } from "../../http/byte-range.ts";
import { notFound } from "../../http/http.errors.ts";
import { translate } from "../../http/translate.ts";
import { archiveHeaders } from "../dicomweb/answers/archive-headers.ts";
import { assertAccepts, HTML, PDF, XML } from "../dicomweb/answers/media-types.ts";
import { findValues, readStart, type Value, valueResponse } from "../dicomweb/bulk-data/bulk-data.ts";
import { findInstance } from "../dicomweb/catalogue/find-instance.ts";
import type { DicomwebCatalogue } from "../dicomweb/dicomweb.catalogue.ts";
import { notDrawable } from "../dicomweb/dicomweb.errors.ts";
import { readInstanceMetadata } from "../dicomweb/metadata/read-instance-metadata.ts";
import type { PicturePath } from "./rendered-parts.ts";

const LENGTH_BYTES = 4;

interface AskedDocument {
  path: PicturePath;
  accept: string | undefined;
  request: RangeRequest;
  locale: Locale;
}

/**
 * The instance at a path if it is a document: a PDF, a clinical document or a structured report. One with pixels is drawn instead.
 * @throws {AppError} 404 if the path names an instance that is not there
 */
export async function findDocument(
  catalogue: DicomwebCatalogue,
  { study = "", series, instance, frames }: PicturePath,
): Promise<ManifestInstance | undefined> {
  if (series === undefined || instance === undefined || frames !== undefined) return undefined;
  const manifest = await catalogue.manifest(study, series);
  const found = manifest && findInstance(manifest, instance);
  if (!found) throw new AppError(notFound);
  if (found.frames.kind !== "none") return undefined;
  return documentKindOf(found.sopClassUID) ? found : undefined;
}

/** Answers a document as it is read. @throws {AppError} as {@link encapsulatedResponse} and {@link reportResponse} */
export function documentResponse(
  catalogue: DicomwebCatalogue,
  document: ManifestInstance,
  asked: AskedDocument,
): Promise<Response> {
  const kind = documentKindOf(document.sopClassUID);
  if (kind === "report") return reportResponse(catalogue, document, asked);
  return encapsulatedResponse(catalogue, document, kind === "cda" ? CDA_FORM : PDF_FORM, asked);
}

/**
 * Answers a structured report as a page without scripts (PS3.18 table 8.7.4-1), in the language of the request.
 * @throws {AppError} 406 if the client accepts no HTML, 422 if its metadata have too much or too little for a page
 */
async function reportResponse(
  catalogue: DicomwebCatalogue,
  { sopInstanceUID }: ManifestInstance,
  { path, accept, locale }: AskedDocument,
): Promise<Response> {
  assertAccepts(accept, HTML);
  const stored = await catalogue.metadata(path.study ?? "", path.series ?? "");
  const report = stored && (await readInstanceMetadata(stored, sopInstanceUID, MAX_REPORT_JSON_BYTES));
  if (!report) throw new AppError(notDrawable);
  const html = reportHtml(report, locale);
  const language = { "Content-Language": locale, Vary: "Accept, Accept-Language" };
  return new Response(html, {
    headers: { ...archiveHeaders(`${HTML}; charset=utf-8`), ...language },
  });
}

function reportHtml(report: DicomJson, locale: Locale): string {
  try {
    return structuredReportHtml(report, { locale, say: (text, values) => translate(locale, text, values) });
  } catch (error) {
    throw error instanceof ReportUnreadable ? new AppError(notDrawable) : error;
  }
}

interface EncapsulatedForm {
  type: string;
  /** Tells its ETag from that of another form. */
  name: string;
  /** Whether a value that begins so is of the form. */
  isBegun(start: Uint8Array): boolean;
}

const PDF_FORM: EncapsulatedForm = { type: PDF, name: "pdf", isBegun: isPdf };
const CDA_FORM: EncapsulatedForm = { type: XML, name: "xml", isBegun: (start) => start.length > 0 };

/**
 * Answers the document of an Encapsulated PDF or CDA instance (PS3.3 §A.45) as it was encapsulated, or a range of it (PS3.18 §8.7.4).
 * @throws {AppError} 406 if the client does not accept its type, 422 if the instance holds none
 */
async function encapsulatedResponse(
  catalogue: DicomwebCatalogue,
  instance: ManifestInstance,
  { type, name, isBegun }: EncapsulatedForm,
  { accept, request }: AskedDocument,
): Promise<Response> {
  assertAccepts(accept, type);
  const tagPaths = [TagHex.EncapsulatedDocument, TagHex.EncapsulatedDocumentLength];
  const [value, declared] = await findValues(catalogue, instance, tagPaths);
  const document = value && (await withoutPadding(value, declared));
  if (!document || !isBegun(await readStart(document, MARK_WITHIN_BYTES))) throw new AppError(notDrawable);
  return valueResponse(instance, document, { type, name, request });
}

/** A value of an odd length has one byte more in the file (PS3.5 §6.2), unlike what Encapsulated Document Length says. */
async function withoutPadding(value: Value, declared: Value | undefined): Promise<Value> {
  if (declared?.sizeBytes !== LENGTH_BYTES) return value;
  const bytes = await readStart(declared, LENGTH_BYTES);
  const sizeBytes = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  return sizeBytes === value.sizeBytes - 1 ? { ...value, sizeBytes } : value;
}
