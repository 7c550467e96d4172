import type { ErrorKind } from "../../http/app-error.ts";

export const studyNotFound: ErrorKind = {
  status: 404,
  code: "study.not_found",
  text: /*i18n*/ { id: "error.study.not_found", message: "Study not found." },
};
export const studyAmbiguous: ErrorKind = {
  status: 409,
  code: "study.ambiguous",
  text: /*i18n*/ {
    id: "error.study.ambiguous",
    message: "Several accounts hold a study with this UID. Name it by its id.",
  },
};
export const studyNotOwner: ErrorKind = {
  status: 403,
  code: "study.not_owner",
  text: /*i18n*/ { id: "error.study.not_owner", message: "Only the owner of this study may do this." },
};
export const studyNotReady: ErrorKind = {
  status: 409,
  code: "study.not_ready",
  text: /*i18n*/ {
    id: "error.study.not_ready",
    message: "This exam is still being moved to secure storage. Wait for the transfer.",
  },
};
