import type { I18n } from "@lingui/core";
import type { FieldValues, Path, UseFormSetError } from "react-hook-form";
import { isValidationMessage, validationMessages } from "../shared/validation-messages.ts";
import type { ApiError } from "./api.ts";

/** The text of a field's error: the message of a shared rule's key, or any other text unchanged. */
export function violationText(i18n: I18n, message: string | undefined): string | undefined {
  return message && isValidationMessage(message) ? i18n._(validationMessages[message]) : message;
}

/** Shows the server's violations at the fields they name. Returns whether there were any. */
export function showViolations<Values extends FieldValues>(
  error: ApiError,
  setError: UseFormSetError<Values>,
  fields: readonly Path<Values>[],
): boolean {
  const known = error.violations.filter(({ path }) => fields.some((field) => field === path));
  for (const [index, { path, message }] of known.entries()) {
    setError(path as Path<Values>, { message }, { shouldFocus: index === 0 });
  }
  return known.length > 0;
}
