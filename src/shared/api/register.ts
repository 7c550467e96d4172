import * as z from "zod/mini";
import { isCpfOrCnpj, plainTaxId } from "../rules/cpf-cnpj.ts";
import { emailSchema, nameSchema, newPasswordSchema } from "./account-fields.ts";
import type { Call } from "./call.ts";

// Kept apart from the other schemas of the entry page because its first form needs no tax id.
const cpfCnpjSchema = z.string("validation.cpfCnpjLength").check(
  z.maxLength(18, "validation.tooLong"),
  z.refine((text) => !isTooShort(text), "validation.cpfCnpjLength"),
  // Texts that are too short are skipped here, because `abort` above would also keep the form from reporting that the
  // passwords differ.
  z.refine((text) => isTooShort(text) || isCpfOrCnpj(text), "validation.cpfCnpjInvalid"),
);

function isTooShort(taxId: string): boolean {
  return plainTaxId(taxId).length < 11;
}

export const registerSchema = z.object({
  name: nameSchema,
  email: emailSchema,
  cpfcnpj: cpfCnpjSchema,
  password: newPasswordSchema,
});
export type Register = z.infer<typeof registerSchema>;

export const registerCall = {
  method: "POST",
  path: "/api/auth/register",
  body: registerSchema,
  answer: z.object({ id: z.string() }),
} as const satisfies Call;
