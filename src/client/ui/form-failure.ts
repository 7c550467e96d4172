import type { FieldValues, Path, UseFormSetError } from "react-hook-form";
import { ApiError } from "../calls/api.ts";
import { showViolations } from "../calls/validation.ts";
import { showToast } from "./toast.tsx";

interface Form<Values extends FieldValues> {
  setError: UseFormSetError<Values>;
  /** The fields that the server may reject. */
  fields: readonly Path<Values>[];
  /** The field that an error code is about, for refusals without violations. */
  fieldOfCode?: Record<string, Path<Values>>;
  /** Title of the toast: what did not happen. */
  title: string;
  /** Replaces the toast; also called for errors that are shown at a field. */
  tell?: (error: ApiError, isAtField: boolean) => void;
}

/**
 * Shows why a form was refused, at the fields that the server names or else in a toast.
 *
 * @throws any error that is not an answer of the server
 */
export function showFormFailure<Values extends FieldValues>(
  error: unknown,
  { setError, fields, fieldOfCode = {}, title, tell }: Form<Values>,
): void {
  if (!(error instanceof ApiError)) throw error;
  const field = fieldOfCode[error.code];
  if (field) setError(field, { message: error.message }, { shouldFocus: true });
  const isAtField = field !== undefined || showViolations(error, setError, fields);
  if (tell) tell(error, isAtField);
  else if (!isAtField) showToast({ tone: "bad", title, text: error.message });
}
