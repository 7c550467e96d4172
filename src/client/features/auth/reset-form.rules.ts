import * as z from "zod/mini";
import { resetPasswordSchema } from "../../../shared/api/auth.ts";

/** The form's fields: those of the server's schema, and the password once more. */
export const resetFormSchema = z
  .extend(resetPasswordSchema, {
    confirmPassword: z.string().check(z.minLength(1, "validation.confirmPasswordRequired")),
  })
  .check(
    z.refine(({ password, confirmPassword }) => confirmPassword === "" || password === confirmPassword, {
      error: "validation.passwordsDoNotMatch",
      path: ["confirmPassword"],
      // This check also runs while other fields are wrong, so that all errors show at once.
      when: ({ value }) => hasPasswords(value),
    }),
  );

export type ResetFormValues = z.infer<typeof resetFormSchema>;

function hasPasswords(value: unknown): boolean {
  return typeof value === "object" && value !== null && "password" in value && "confirmPassword" in value;
}
