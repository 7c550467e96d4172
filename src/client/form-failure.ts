import type { FieldValues, Path, UseFormSetError } from "react-hook-form";
import { ApiError } from "./api.ts";
import { showToast } from "./ui/toast.tsx";
import { showViolations } from "./validation.ts";

interface Form<Values extends FieldValues> {
  setError: UseFormSetError<Values>;
  /** Those that the server may complain about. */
  fields: readonly Path<Values>[];
  /** The field that a refusal is about where its code says so and no violation does. */
  fieldOfCode?: Record<string, Path<Values>>;
  /** What did not happen. */
  title: string;
  /** Replaces the toast; called for what stands at a field too. */
  tell?: (error: ApiError, isAtField: boolean) => void;
}

/**
 * Says why a form was refused: at the fields that the server names, or else in a toast.
 *
 * @throws every error that is not an answer of the server
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
