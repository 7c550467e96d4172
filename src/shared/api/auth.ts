import * as z from "zod/mini";
import { isCpfOrCnpj, plainTaxId } from "../rules/cpf-cnpj.ts";

/** Messages are keys of `validation-messages.ts`. */
export const emailSchema = z
  .string("validation.invalidEmail")
  .check(z.trim(), z.maxLength(254, "validation.tooLong"), z.email("validation.invalidEmail"));

export const newPasswordSchema = z
  .string("validation.passwordMin")
  .check(z.minLength(6, "validation.passwordMin"), z.maxLength(1024, "validation.tooLong"));

export const nameSchema = z
  .string("validation.nameMin")
  .check(z.trim(), z.minLength(3, "validation.nameMin"), z.maxLength(200, "validation.tooLong"));

const cpfCnpjSchema = z.string("validation.cpfCnpjLength").check(
  z.maxLength(18, "validation.tooLong"),
  z.refine((text) => plainTaxId(text).length >= 11, { error: "validation.cpfCnpjLength", abort: true }),
  z.refine(isCpfOrCnpj, "validation.cpfCnpjInvalid"),
);

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
