import * as z from "zod/mini";
import { registerSchema } from "../../../shared/api/register.ts";
import { hasPasswords } from "./has-passwords.ts";

/** The form's fields: those of the server's schema, and the password once more. */
export const registerFormSchema = z.extend(registerSchema, { confirmPassword: z.string() }).check(
  z.refine(({ password, confirmPassword }) => password === confirmPassword, {
    error: "validation.passwordsDoNotMatch",
    path: ["confirmPassword"],
    when: hasPasswords,
  }),
);

export type RegisterFormValues = z.infer<typeof registerFormSchema>;
