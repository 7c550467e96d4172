import type { ErrorKind } from "../../http/app-error.ts";

export const uploadNotZip: ErrorKind = {
  status: 400,
  code: "upload.not_zip",
  text: /*i18n*/ { id: "error.upload.not_zip", message: "Only ZIP files are accepted." },
};
export const uploadMissing: ErrorKind = {
  status: 400,
  code: "upload.missing",
  text: /*i18n*/ { id: "error.upload.missing", message: "ZIP file not found or invalid" },
};
export const uploadTooLarge: ErrorKind = {
  status: 413,
  code: "upload.too_large",
  text: /*i18n*/ {
    id: "error.upload.too_large",
    message: "The file is too large. The maximum is {maximum}.",
  },
};
export const uploadUnreadable: ErrorKind = {
  status: 422,
  code: "upload.unreadable",
  text: /*i18n*/ {
    id: "error.upload.unreadable",
    message: "The ZIP file is damaged or incomplete. Nothing was stored.",
  },
};
export const uploadTooComplex: ErrorKind = {
  status: 422,
  code: "upload.too_complex",
  text: /*i18n*/ {
    id: "error.upload.too_complex",
    message: "The ZIP file holds more than can be taken in one upload. Nothing was stored.",
  },
};
export const seriesWouldBeTooLarge: ErrorKind = {
  status: 422,
  code: "upload.series_too_large",
  text: /*i18n*/ {
    id: "error.upload.series_too_large",
    message: "A series would hold more images or frames than can be opened again. Nothing was stored.",
  },
};
export const uploadWithoutDicom: ErrorKind = {
  status: 422,
  code: "upload.no_dicom",
  text: /*i18n*/ {
    id: "error.upload.no_dicom",
    message: "No valid DICOM image was found in the file. Nothing was stored.",
  },
};
export const tooManyUploads: ErrorKind = {
  status: 429,
  code: "upload.too_many",
  text: /*i18n*/ {
    id: "error.upload.too_many",
    message: "Too many uploads at once. Wait for one to finish.",
  },
};
