import type { DicomJson } from "../../../shared/dicom/dicom-json.ts";
import { documentKindOf } from "../../../shared/dicom/document-kind.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { isPdf, MARK_WITHIN_BYTES } from "../../../shared/is-pdf.ts";
import type { Locale } from "../../../shared/locale.ts";
import { MAX_REPORT_JSON_BYTES, ReportUnreadable } from "../../../shared/structured-report/content-items.ts";
import { structuredReportHtml } from "../../../shared/structured-report/structured-report.tsx";
import type { ManifestInstance } from "../../archive/manifest.ts";
import { joinPieces, piecesOf } from "../../archive/pieces.ts";
import { AppError } from "../../http/app-error.ts";
import { notFound } from "../../http/http.errors.ts";
import { translate } from "../../http/translate.ts";
import { archiveHeaders } from "../dicomweb/answers/archive-headers.ts";
import { assertAccepts, HTML, PDF } from "../dicomweb/answers/media-types.ts";
import { findValues, type Value, valueResponse } from "../dicomweb/bulk-data/bulk-data.ts";
import { findInstance } from "../dicomweb/catalogue/find-instance.ts";
import type { DicomwebCatalogue } from "../dicomweb/dicomweb.catalogue.ts";
import { notDrawable } from "../dicomweb/dicomweb.errors.ts";
import { readInstanceMetadata } from "../dicomweb/metadata/read-instance-metadata.ts";
import type { PicturePath } from "./rendered-parts.ts";

const LENGTH_BYTES = 4;

interface AskedDocument {
  path: PicturePath;
  accept: string | undefined;
  headers: Headers;
  locale: Locale;
}

/**
 * The instance at a path if it is a document: a PDF or a structured report. One with pixels is drawn instead.
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

/** Answers a document as it is read. @throws {AppError} as {@link pdfResponse} and {@link reportResponse} */
export function documentResponse(
  catalogue: DicomwebCatalogue,
  document: ManifestInstance,
  asked: AskedDocument,
): Promise<Response> {
  return documentKindOf(document.sopClassUID) === "report"
    ? reportResponse(catalogue, document, asked)
    : pdfResponse(catalogue, document, asked);
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

/**
 * Answers the PDF of an Encapsulated PDF instance (PS3.3 §A.45.1) as it was encapsulated, or a range of it (PS3.18 §8.7.4).
 * @throws {AppError} 406 if the client does not accept a PDF, 422 if the instance holds none
 */
async function pdfResponse(
  catalogue: DicomwebCatalogue,
  instance: ManifestInstance,
  { accept, headers }: AskedDocument,
): Promise<Response> {
  assertAccepts(accept, PDF);
  const tagPaths = [TagHex.EncapsulatedDocument, TagHex.EncapsulatedDocumentLength];
  const [value, declared] = await findValues(catalogue, instance, tagPaths);
  const pdf = value && (await withoutPadding(value, declared));
  if (!pdf || !isPdf(await readStart(pdf, MARK_WITHIN_BYTES))) throw new AppError(notDrawable);
  return valueResponse(instance, pdf, { type: PDF, name: "pdf", wanted: headers });
}

/** A value of an odd length has one byte more in the file (PS3.5 §6.2), unlike what Encapsulated Document Length says. */
async function withoutPadding(value: Value, declared: Value | undefined): Promise<Value> {
  if (declared?.sizeBytes !== LENGTH_BYTES) return value;
  const bytes = await readStart(declared, LENGTH_BYTES);
  const sizeBytes = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  return sizeBytes === value.sizeBytes - 1 ? { ...value, sizeBytes } : value;
}

async function readStart(value: Value, most: number): Promise<Uint8Array> {
  const length = Math.min(value.sizeBytes, most);
  const read = await value.read({ offset: 0, length });
  return (await joinPieces(piecesOf(read), length)) ?? new Uint8Array();
}
