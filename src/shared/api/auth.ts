import * as z from "zod/mini";
import { isCpfOrCnpj, plainTaxId } from "../rules/cpf-cnpj.ts";
import { emailSchema, nameSchema, newPasswordSchema } from "./account-fields.ts";

const cpfCnpjSchema = z.string("validation.cpfCnpjLength").check(
  z.maxLength(18, "validation.tooLong"),
  z.refine((text) => !isTooShort(text), "validation.cpfCnpjLength"),
  // Not by `abort` above: it would keep the form from saying that the passwords differ.
  z.refine((text) => isTooShort(text) || isCpfOrCnpj(text), "validation.cpfCnpjInvalid"),
);

function isTooShort(taxId: string): boolean {
  return plainTaxId(taxId).length < 11;
}

export const loginSchema = z.object({
  email: emailSchema,
  password: z
    .string("validation.passwordRequired")
    .check(z.minLength(1, "validation.passwordRequired"), z.maxLength(1024, "validation.tooLong")),
});
export type Login = z.infer<typeof loginSchema>;

export const registerSchema = z.object({
  name: nameSchema,
  email: emailSchema,
  cpfcnpj: cpfCnpjSchema,
  password: newPasswordSchema,
});
export type Register = z.infer<typeof registerSchema>;

export const verifyCodeSchema = z.object({
  email: emailSchema,
  code: z.string("validation.codeDigits").check(z.regex(/^\d{6}$/, "validation.codeDigits")),
  /** Whether this device skips the code for 30 days. */
  rememberDevice: z.optional(z.boolean()),
});
export type VerifyCode = z.infer<typeof verifyCodeSchema>;

export const emailOnlySchema = z.object({ email: emailSchema });

export const resetPasswordSchema = z.object({
  token: z
    .string("validation.tokenRequired")
    .check(z.minLength(1, "validation.tokenRequired"), z.maxLength(200, "validation.tooLong")),
  password: newPasswordSchema,
});
export type ResetPassword = z.infer<typeof resetPasswordSchema>;

/** The answer of login where a code is wanted: it was mailed to `email`. */
export const twoFactorPendingSchema = z.object({ requiresTwoFactor: z.literal(true), email: z.string() });
export type TwoFactorPending = z.infer<typeof twoFactorPendingSchema>;
