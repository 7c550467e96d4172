import type { ErrorKind } from "../../http/app-error.ts";

export const labExamNotFound: ErrorKind = {
  status: 404,
  code: "lab.not_found",
  text: /*i18n*/ { id: "error.lab.not_found", message: "Exam not found." },
};
