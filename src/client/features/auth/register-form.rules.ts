import * as z from "zod/mini";
import { registerSchema } from "../../../shared/api/register.ts";

/** The form's fields: those of the server's schema, and the password once more. */
export const registerFormSchema = z.extend(registerSchema, { confirmPassword: z.string() }).check(
  z.refine(({ password, confirmPassword }) => password === confirmPassword, {
    error: "validation.passwordsDoNotMatch",
    path: ["confirmPassword"],
    // This check also runs while other fields are wrong, so that all errors show at once.
    when: ({ value }) => hasPasswords(value),
  }),
);

export type RegisterFormValues = z.infer<typeof registerFormSchema>;

function hasPasswords(value: unknown): boolean {
  return typeof value === "object" && value !== null && "password" in value && "confirmPassword" in value;
}
