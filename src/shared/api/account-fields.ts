import * as z from "zod/mini";
import { ONE_LINE, plain } from "./plain-text.ts";

/** Messages are keys of `validation-messages.ts`. */
export const emailSchema = z
  .string("validation.invalidEmail")
  .check(z.trim(), z.maxLength(254, "validation.tooLong"), z.email("validation.invalidEmail"));

export const emailOnlySchema = z.object({ email: emailSchema });

/** The password that an account has, as a person types it. */
export const givenPasswordSchema = z
  .string("validation.passwordRequired")
  .check(z.minLength(1, "validation.passwordRequired"), z.maxLength(1024, "validation.tooLong"));

export const newPasswordSchema = z
  .string("validation.passwordMin")
  .check(z.minLength(6, "validation.passwordMin"), z.maxLength(1024, "validation.tooLong"));

/** A person's name, in one line: mails to others begin with it. */
export const nameSchema = z
  .string("validation.nameMin")
  .check(
    plain,
    z.minLength(3, "validation.nameMin"),
    z.maxLength(200, "validation.tooLong"),
    z.regex(ONE_LINE, "validation.invalid"),
  );
