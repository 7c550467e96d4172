import type { ErrorKind } from "../../http/app-error.ts";

export const labExamNotFound: ErrorKind = {
  status: 404,
  code: "lab.not_found",
  text: /*i18n*/ { id: "error.lab.not_found", message: "Exam not found." },
};
export const labKeyUsed: ErrorKind = {
  status: 409,
  code: "lab.key_used",
  text: /*i18n*/ {
    id: "error.lab.key_used",
    message: "Another exam was sent with this Idempotency-Key. Nothing was stored.",
  },
};
