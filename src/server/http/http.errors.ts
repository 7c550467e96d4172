import type { ErrorKind } from "./app-error.ts";

export const validationFailed: ErrorKind = {
  status: 400,
  code: "validation.failed",
  text: /*i18n*/ { id: "error.validation.failed", message: "Check the highlighted fields." },
};
export const unauthenticated: ErrorKind = {
  status: 401,
  code: "session.required",
  text: /*i18n*/ { id: "error.session.required", message: "Authentication failed. Please log in again." },
};
export const forbidden: ErrorKind = {
  status: 403,
  code: "role.forbidden",
  text: /*i18n*/ { id: "error.role.forbidden", message: "Your account is not allowed to do this." },
};
export const notFound: ErrorKind = {
  status: 404,
  code: "not_found",
  text: /*i18n*/ { id: "error.not_found", message: "Not found." },
};
export const methodNotAllowed: ErrorKind = {
  status: 405,
  code: "method.not_allowed",
  text: /*i18n*/ { id: "error.method.not_allowed", message: "This cannot be done with this address." },
};
export const notAcceptable: ErrorKind = {
  status: 406,
  code: "not_acceptable",
  text: /*i18n*/ { id: "error.not_acceptable", message: "None of the requested formats is available." },
};
export const unsupportedMediaType: ErrorKind = {
  status: 415,
  code: "media_type.unsupported",
  text: /*i18n*/ { id: "error.media_type.unsupported", message: "This content type is not accepted here." },
};
/** The request's `If-Match` names other versions. */
export const versionDiffers: ErrorKind = {
  status: 412,
  code: "version.differs",
  text: /*i18n*/ { id: "error.version.differs", message: "The file has changed since. Begin again." },
};
export const rangeNotSatisfiable: ErrorKind = {
  status: 416,
  code: "range.not_satisfiable",
  text: /*i18n*/ { id: "error.range.not_satisfiable", message: "The requested range is not in the file." },
};
export const tooManyRequests: ErrorKind = {
  status: 429,
  code: "throttled",
  text: /*i18n*/ { id: "error.throttled", message: "Too many attempts. Try again later." },
};
export const internal: ErrorKind = {
  status: 500,
  code: "internal",
  text: /*i18n*/ { id: "error.internal", message: "Something went wrong on our side. Your exams are safe." },
};
export const storeUnavailable: ErrorKind = {
  status: 503,
  code: "store.unavailable",
  text: /*i18n*/ {
    id: "error.store.unavailable",
    message: "The storage is not responding. Try again shortly.",
  },
};
export const databaseUnavailable: ErrorKind = {
  status: 503,
  code: "database.unavailable",
  text: /*i18n*/ {
    id: "error.database.unavailable",
    message: "The database is not responding. Your exams are safe. Try again shortly.",
  },
};
/** The disk of this node was mounted read-only, as after an error of the disk, or the archive store takes nothing from us. */
export const storageReadOnly: ErrorKind = {
  status: 503,
  code: "storage.read_only",
  text: /*i18n*/ {
    id: "error.storage.readOnly",
    message:
      "The server's storage takes nothing now. Nothing of this was stored. The administrator must look at it.",
  },
};
export const heldByAnotherNode: ErrorKind = {
  status: 503,
  code: "store.another_node",
  text: /*i18n*/ {
    id: "error.store.another_node",
    message: "This exam is still being moved to secure storage. Try again shortly.",
  },
};
export const storageFull: ErrorKind = {
  status: 507,
  code: "storage.full",
  text: /*i18n*/ {
    id: "error.storage.full",
    message: "There is no space left for this upload. Nothing was stored.",
  },
};
export const bodyInterrupted: ErrorKind = {
  status: 400,
  code: "body.interrupted",
  text: /*i18n*/ { id: "error.body.interrupted", message: "The form did not arrive whole. Send it again." },
};
export const furtherFileSent: ErrorKind = {
  status: 400,
  code: "body.further_file",
  text: /*i18n*/ {
    id: "error.body.further_file",
    message: "Only one file can be sent at a time here. Nothing was stored.",
  },
};
export const bodyTooLarge: ErrorKind = {
  status: 413,
  code: "body.too_large",
  text: /*i18n*/ { id: "error.body.too_large", message: "What was sent is too large." },
};
export const tooManySenders: ErrorKind = {
  status: 429,
  code: "body.too_many",
  text: /*i18n*/ { id: "error.body.too_many", message: "Too much is being sent at once. Try again shortly." },
};
/** Bytes at rest are damaged or gone, so nothing of them is shown. */
export const archiveDamaged: ErrorKind = {
  status: 500,
  code: "archive.damaged",
  text: /*i18n*/ {
    id: "error.archive.damaged",
    message:
      "The stored file was damaged in our archive, so it is not shown. The administrator was told. Sending the same exam again repairs its images; a PDF has to be deleted and sent again.",
  },
};
