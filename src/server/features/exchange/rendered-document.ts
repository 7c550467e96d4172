import { ENCAPSULATED_PDF } from "../../../shared/dicom/sop-class.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import type { ManifestInstance } from "../../archive/manifest.ts";
import { joinPieces, piecesOf } from "../../archive/pieces.ts";
import { isPdf, MARK_WITHIN_BYTES } from "../../documents/is-pdf.ts";
import { AppError } from "../../http/app-error.ts";
import { assertAcceptsPdf, PDF } from "../dicomweb/answers/media-types.ts";
import { findValues, type Value, valueResponse } from "../dicomweb/bulk-data/bulk-data.ts";
import { findInstance } from "../dicomweb/catalogue/find-instance.ts";
import type { DicomwebCatalogue } from "../dicomweb/dicomweb.catalogue.ts";
import { notDrawable } from "../dicomweb/dicomweb.errors.ts";
import type { PicturePath } from "./rendered-parts.ts";

const LENGTH_BYTES = 4;

/** The instance at a path if it is a document, which is its own rendering. One with pixels is drawn instead. */
export async function findDocument(
  catalogue: DicomwebCatalogue,
  { study = "", series, instance, frames }: PicturePath,
): Promise<ManifestInstance | undefined> {
  if (series === undefined || instance === undefined || frames !== undefined) return undefined;
  const manifest = await catalogue.manifest(study, series);
  const found = manifest && findInstance(manifest, instance);
  return found?.sopClassUID === ENCAPSULATED_PDF && found.frames.kind === "none" ? found : undefined;
}

/**
 * Answers the PDF of an Encapsulated PDF instance (PS3.3 §A.45.1) as it was encapsulated, or a range of it (PS3.18 §8.7.4).
 * @throws {AppError} 406 if the client does not accept a PDF, 422 if the instance holds none
 */
export async function documentResponse(
  catalogue: DicomwebCatalogue,
  instance: ManifestInstance,
  { accept, headers }: { accept: string | undefined; headers: Headers },
): Promise<Response> {
  assertAcceptsPdf(accept);
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
