import * as z from "zod/mini";
import { recoveryCodePattern, signInMethods, totpCodePattern } from "../rules/sign-in-methods.ts";
import { emailOnlySchema, emailSchema, givenPasswordSchema, newPasswordSchema } from "./account-fields.ts";
import { type Call, done } from "./call.ts";
import { currentUserSchema, signedInUserSchema } from "./users.ts";

export const loginSchema = z.object({ email: emailSchema, password: givenPasswordSchema });
export type Login = z.infer<typeof loginSchema>;

export const verifyCodeSchema = z.object({
  email: emailSchema,
  /** Six digits, mailed or from an authenticator app; or a recovery code, if the account has recovery codes. */
  code: z
    .string("validation.codeDigits")
    .check(
      z.refine(
        (code) => totpCodePattern.test(code) || recoveryCodePattern.test(code),
        "validation.codeDigits",
      ),
    ),
  /** Whether this device skips the code for 30 days. */
  rememberDevice: z.optional(z.boolean()),
});
export type VerifyCode = z.infer<typeof verifyCodeSchema>;

const tokenSchema = z
  .string("validation.tokenRequired")
  .check(z.minLength(1, "validation.tokenRequired"), z.maxLength(200, "validation.tooLong"));

export const resetPasswordSchema = z.object({ token: tokenSchema, password: newPasswordSchema });
export type ResetPassword = z.infer<typeof resetPasswordSchema>;

/** The token that the page behind a mailed link sends when its button is pressed. */
export const linkTokenSchema = z.object({ token: tokenSchema });

/** `restored`: the change had already taken effect, and the account has its old address again. */
export const stopAnswerSchema = z.object({ stopped: z.literal(true), restored: z.boolean() });
export type StopAnswer = z.infer<typeof stopAnswerSchema>;

/**
 * The answer of login when a second step is required. Without `methods`, a code was mailed to `email`; with them, the
 * account has its own factors and no code was mailed.
 */
export const twoFactorPendingSchema = z.object({
  requiresTwoFactor: z.literal(true),
  email: z.string(),
  methods: z.optional(z.array(z.enum(signInMethods))),
});
export type TwoFactorPending = z.infer<typeof twoFactorPendingSchema>;

export const loginCall = {
  method: "POST",
  path: "/api/auth/login",
  body: loginSchema,
  answer: z.union([signedInUserSchema, twoFactorPendingSchema]),
} as const satisfies Call;

export const verifyCodeCall = {
  method: "POST",
  path: "/api/auth/verify-2fa",
  body: verifyCodeSchema,
  answer: signedInUserSchema,
} as const satisfies Call;

export const resendCodeCall = {
  method: "POST",
  path: "/api/auth/resend-code",
  body: emailOnlySchema,
  answer: done("sent"),
} as const satisfies Call;

export const forgotPasswordCall = {
  method: "POST",
  path: "/api/auth/forgot-password",
  body: emailOnlySchema,
  answer: done("sent"),
} as const satisfies Call;

export const resetPasswordCall = {
  method: "POST",
  path: "/api/auth/reset-password",
  body: resetPasswordSchema,
  answer: done("reset"),
} as const satisfies Call;

export const stopEmailChangeCall = {
  method: "POST",
  path: "/api/auth/stop-email-change",
  body: linkTokenSchema,
  answer: stopAnswerSchema,
} as const satisfies Call;

export const logoutCall = {
  method: "POST",
  path: "/api/auth/logout",
  answer: done("signedOut"),
} as const satisfies Call;

export const currentUserCall = {
  method: "GET",
  path: "/api/auth/me",
  answer: currentUserSchema,
} as const satisfies Call;
