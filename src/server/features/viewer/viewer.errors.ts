import type { ErrorKind } from "../../http/app-error.ts";

export const viewerRetrievalForbidden: ErrorKind = {
  status: 403,
  code: "viewer.retrieval_forbidden",
  text: /*i18n*/ {
    id: "error.viewer.retrieval_forbidden",
    message: "The viewer only shows images. To take the exam along, download it.",
  },
};
