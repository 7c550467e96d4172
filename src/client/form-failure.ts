import type { FieldValues, Path, UseFormSetError } from "react-hook-form";
import { ApiError } from "./api.ts";
import { showToast } from "./ui/toast.tsx";
import { showViolations } from "./validation.ts";

interface Form<Values extends FieldValues> {
  setError: UseFormSetError<Values>;
  /** Those that the server may complain about. */
  fields: readonly Path<Values>[];
  /** What did not happen. */
  title: string;
}

/**
 * Says why a form was refused: at the fields that the server names, or else in a toast.
 *
 * @throws what is no answer of the server
 */
export function showFormFailure<Values extends FieldValues>(
  error: unknown,
  { setError, fields, title }: Form<Values>,
): void {
  if (!(error instanceof ApiError)) throw error;
  if (showViolations(error, setError, fields)) return;
  showToast({ tone: "bad", title, text: error.message });
}
