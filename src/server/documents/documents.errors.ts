import type { ErrorKind } from "../http/app-error.ts";

export const notPdf: ErrorKind = {
  status: 400,
  code: "document.not_pdf",
  text: /*i18n*/ { id: "error.document.not_pdf", message: "Invalid file: please select PDF files only." },
};
export const documentTooLarge: ErrorKind = {
  status: 413,
  code: "document.too_large",
  text: /*i18n*/ { id: "error.document.too_large", message: "The PDF is too large. The maximum is 50 MB." },
};
