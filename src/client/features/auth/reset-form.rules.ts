import * as z from "zod/mini";
import { resetPasswordSchema } from "../../../shared/api/auth.ts";
import { hasPasswords } from "./has-passwords.ts";

/** The form's fields: those of the server's schema, and the password once more. */
export const resetFormSchema = z
  .extend(resetPasswordSchema, {
    confirmPassword: z.string().check(z.minLength(1, "validation.confirmPasswordRequired")),
  })
  .check(
    z.refine(({ password, confirmPassword }) => confirmPassword === "" || password === confirmPassword, {
      error: "validation.passwordsDoNotMatch",
      path: ["confirmPassword"],
      when: hasPasswords,
    }),
  );

export type ResetFormValues = z.infer<typeof resetFormSchema>;
