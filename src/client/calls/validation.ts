import type { I18n } from "@lingui/core";
import type { FieldValues, Path, UseFormSetError } from "react-hook-form";
import { isValidationMessage, validationMessages } from "../../shared/validation-messages.ts";
import type { ApiError } from "./api.ts";

/** The text of a field's error: the message of a shared rule's key, or any other text unchanged. */
export function violationText(i18n: I18n, message: string | undefined): string | undefined {
  return message && isValidationMessage(message) ? i18n._(validationMessages[message]) : message;
}

/**
 * Shows the server's violations at the fields they name, and one about an item of a list at the list's field. Returns whether
 * there were any.
 */
export function showViolations<Values extends FieldValues>(
  error: ApiError,
  setError: UseFormSetError<Values>,
  fields: readonly Path<Values>[],
): boolean {
  const messages = new Map<Path<Values>, string>();
  for (const { path, message } of error.violations) {
    const field = fields.find((name) => path === name || path.startsWith(`${name}.`));
    if (field && !messages.has(field)) messages.set(field, message);
  }
  for (const [index, [field, message]] of [...messages].entries()) {
    setError(field, { message }, { shouldFocus: index === 0 });
  }
  return messages.size > 0;
}
