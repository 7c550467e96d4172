import { AppError } from "./app-error.ts";
import { furtherFileSent } from "./http.errors.ts";

/** The error for a file that a form has no place for: left out without a word, it would be lost. */
export function furtherFile(path: string): AppError {
  return new AppError(furtherFileSent, { violations: [{ path, code: "validation.invalid" }] });
}
