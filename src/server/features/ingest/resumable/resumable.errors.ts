import type { ErrorKind } from "../../../http/app-error.ts";

/** tus: another version of the protocol, or none. */
export const tusVersionUnsupported: ErrorKind = {
  status: 412,
  code: "upload.version",
  text: /*i18n*/ {
    id: "error.upload.version",
    message: "This program sends uploads in a way that the server does not know.",
  },
};
export const resumableNotFound: ErrorKind = {
  status: 404,
  code: "upload.not_found",
  text: /*i18n*/ { id: "error.upload.not_found", message: "Upload not found." },
};
export const offsetDiffers: ErrorKind = {
  status: 409,
  code: "upload.offset",
  text: /*i18n*/ {
    id: "error.upload.offset",
    message: "The server has another part of this upload already.",
  },
};
export const uploadHeld: ErrorKind = {
  status: 423,
  code: "upload.in_use",
  text: /*i18n*/ { id: "error.upload.in_use", message: "This upload is being sent elsewhere at the moment." },
};
export const chunkDiffers: ErrorKind = {
  // "Checksum Mismatch" of tus 1.0.0, which no registry knows.
  status: 460 as 400,
  code: "upload.checksum",
  text: /*i18n*/ {
    id: "error.upload.checksum",
    message: "A part of the upload arrived changed. Send it again.",
  },
};
export const tooManyOpenUploads: ErrorKind = {
  status: 429,
  code: "upload.too_many_open",
  text: /*i18n*/ {
    id: "error.upload.too_many_open",
    message: "You have {count} unfinished uploads. Finish or discard one first.",
  },
};
