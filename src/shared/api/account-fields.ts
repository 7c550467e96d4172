import * as z from "zod/mini";
import { plain } from "./plain-text.ts";

/** Messages are keys of `validation-messages.ts`. */
export const emailSchema = z
  .string("validation.invalidEmail")
  .check(z.trim(), z.maxLength(254, "validation.tooLong"), z.email("validation.invalidEmail"));

export const emailOnlySchema = z.object({ email: emailSchema });

export const newPasswordSchema = z
  .string("validation.passwordMin")
  .check(z.minLength(6, "validation.passwordMin"), z.maxLength(1024, "validation.tooLong"));

export const nameSchema = z
  .string("validation.nameMin")
  .check(plain, z.minLength(3, "validation.nameMin"), z.maxLength(200, "validation.tooLong"));
