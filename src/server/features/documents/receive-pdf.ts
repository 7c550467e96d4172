import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { AppError } from "../../http/app-error.ts";
import { unsupportedMediaType } from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { documentTooLarge, notPdf } from "./documents.errors.ts";

const MAX_PDF_BYTES = 50 * 1024 * 1024;
const FORM_BYTES = 1024 * 1024;
/** A PDF is what has this within its first kilobyte, as readers take it. */
const MARK = "%PDF-";
const MARK_WITHIN_BYTES = 1024;

/** Bounds the body of a form that carries a PDF, before it is read. */
export const pdfBodyLimit = bodyLimit({
  maxSize: MAX_PDF_BYTES + FORM_BYTES,
  onError: () => {
    throw new AppError(documentTooLarge);
  },
});

export interface PdfForm {
  pdf: Uint8Array;
  /** The other fields, as text. */
  fields: Record<string, string>;
}

/**
 * Reads a multipart form with a PDF in `fieldName`, proven by its bytes.
 * @throws {AppError} `document.not_pdf`, `document.too_large`, 415
 */
export async function receivePdf(c: Context<HttpEnv>, fieldName: string): Promise<PdfForm> {
  if (!/^multipart\/form-data\b/i.test(c.req.header("content-type") ?? "")) {
    throw new AppError(unsupportedMediaType);
  }
  const form = await c.req.parseBody();
  const file = form[fieldName];
  if (!(file instanceof File)) throw new AppError(notPdf);
  if (file.size > MAX_PDF_BYTES) throw new AppError(documentTooLarge);
  const pdf = await file.bytes();
  const head = Buffer.from(pdf.buffer, pdf.byteOffset, Math.min(pdf.length, MARK_WITHIN_BYTES));
  if (!head.includes(MARK)) throw new AppError(notPdf);
  const fields = Object.entries(form).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return { pdf, fields: Object.fromEntries(fields) };
}
