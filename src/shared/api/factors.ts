import * as z from "zod/mini";
import { totpCodePattern } from "../rules/sign-in-methods.ts";
import { type Call, done } from "./call.ts";
import { requiredLine } from "./plain-text.ts";
import { signedInUserSchema } from "./users.ts";

const base64url = (maxLength: number) =>
  z
    .string("validation.invalid")
    .check(z.maxLength(maxLength, "validation.tooLong"), z.regex(/^[\w-]+$/, "validation.invalid"));

/** An authenticator's answer to a challenge, as `AuthenticationResponseJSON` of WebAuthn. */
export const passkeyAssertionSchema = z.object({
  id: base64url(1400),
  rawId: base64url(1400),
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: base64url(8_000),
    authenticatorData: base64url(4_000),
    signature: base64url(8_000),
    userHandle: z.optional(z.nullable(base64url(100))),
  }),
});
export type PasskeyAssertion = z.infer<typeof passkeyAssertionSchema>;

/** A new passkey, as `RegistrationResponseJSON` of WebAuthn. */
export const passkeyAttestationSchema = z.object({
  id: base64url(1400),
  rawId: base64url(1400),
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: base64url(8_000),
    attestationObject: base64url(32_000),
    transports: z.optional(
      z.array(z.string().check(z.regex(/^[a-z-]{1,20}$/, "validation.invalid"))).check(z.maxLength(10)),
    ),
  }),
});
export type PasskeyAttestation = z.infer<typeof passkeyAttestationSchema>;

/**
 * The proof that a change of the factors requires: the current password and, if the account has a factor, one of its
 * own: `code` (of the app, or a recovery code) or `passkey` (an answer to `POST /api/auth/passkeys/proof-options`). An
 * account's first factor requires neither within five minutes of the sign-in.
 */
export const identityProofSchema = z.object({
  currentPassword: z.optional(z.string().check(z.maxLength(1024, "validation.tooLong"))),
  code: z.optional(z.string().check(z.maxLength(64, "validation.tooLong"))),
  passkey: z.optional(passkeyAssertionSchema),
});
export type IdentityProof = z.infer<typeof identityProofSchema>;

const passkeyNameSchema = requiredLine(60);

export const newPasskeySchema = z.object({ name: passkeyNameSchema, response: passkeyAttestationSchema });
export type NewPasskey = z.infer<typeof newPasskeySchema>;

export const passkeyChangeSchema = z.object({ name: passkeyNameSchema });

export const passkeySchema = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.string(),
  lastUsedAt: z.nullable(z.string()),
  /** Synchronised by a password manager, so that it survives the loss of a device. */
  isBackedUp: z.boolean(),
});
export type Passkey = z.infer<typeof passkeySchema>;

/** `GET /api/auth/factors` */
export const factorsSchema = z.object({
  passkeys: z.array(passkeySchema),
  /** Whether browsers allow passkeys under this service's address. */
  passkeysAvailable: z.boolean(),
  totp: z.nullable(z.object({ createdAt: z.string(), lastUsedAt: z.nullable(z.string()) })),
  recoveryCodesLeft: z.number(),
  /** When the password was last changed; null if it never was, or long ago in a busy account. Servers of release 0.1 leave it out. */
  passwordChangedAt: z.optional(z.nullable(z.string())),
});
export type Factors = z.infer<typeof factorsSchema>;

/** Shown once: null if the account already has codes. */
const recoveryCodesSchema = z.nullable(z.array(z.string()));

export const passkeyAnswerSchema = z.object({ passkey: passkeySchema, recoveryCodes: recoveryCodesSchema });
export type PasskeyAnswer = z.infer<typeof passkeyAnswerSchema>;

/** `POST /api/auth/totp`: a secret that waits at most ten minutes for its first code. */
export const totpEnrolmentSchema = z.object({
  /** In base32, for typing it. */
  secret: z.string(),
  uri: z.string(),
  /** The same as a QR code, a `data:image/…` URL. */
  qrCode: z.string(),
});
export type TotpEnrolment = z.infer<typeof totpEnrolmentSchema>;

export const totpConfirmationSchema = z.object({
  code: z.string("validation.codeDigits").check(z.regex(totpCodePattern, "validation.codeDigits")),
});

export const recoveryCodesAnswerSchema = z.object({ recoveryCodes: recoveryCodesSchema });
export type RecoveryCodesAnswer = z.infer<typeof recoveryCodesAnswerSchema>;

/** With the e-mail of a sign-in whose password was correct just now, the options list that account's keys. */
export const passkeySignInOptionsSchema = z.object({
  email: z.optional(z.string().check(z.maxLength(254, "validation.tooLong"))),
});

export const passkeySignInSchema = z.object({ response: passkeyAssertionSchema });

/** The argument for the browser's `navigator.credentials`; WebAuthn defines its members. */
export const passkeyOptionsSchema = z.looseObject({ challenge: z.string() });

export const factorsCall = {
  method: "GET",
  path: "/api/auth/factors",
  answer: factorsSchema,
} as const satisfies Call;

export const passkeySignInOptionsCall = {
  method: "POST",
  path: "/api/auth/passkeys/sign-in-options",
  body: passkeySignInOptionsSchema,
  answer: passkeyOptionsSchema,
} as const satisfies Call;

export const passkeySignInCall = {
  method: "POST",
  path: "/api/auth/passkeys/sign-in",
  body: passkeySignInSchema,
  answer: signedInUserSchema,
} as const satisfies Call;

export const proofOptionsCall = {
  method: "POST",
  path: "/api/auth/passkeys/proof-options",
  answer: passkeyOptionsSchema,
} as const satisfies Call;

export const registrationOptionsCall = {
  method: "POST",
  path: "/api/auth/passkeys/registration-options",
  body: identityProofSchema,
  answer: passkeyOptionsSchema,
} as const satisfies Call;

export const addPasskeyCall = {
  method: "POST",
  path: "/api/auth/passkeys",
  body: newPasskeySchema,
  answer: passkeyAnswerSchema,
} as const satisfies Call;

export const renamePasskeyCall = {
  method: "PATCH",
  path: "/api/auth/passkeys/:id",
  body: passkeyChangeSchema,
  answer: passkeySchema,
} as const satisfies Call;

export const removePasskeyCall = {
  method: "POST",
  path: "/api/auth/passkeys/:id/remove",
  body: identityProofSchema,
  answer: done("removed"),
} as const satisfies Call;

export const beginTotpCall = {
  method: "POST",
  path: "/api/auth/totp",
  body: identityProofSchema,
  answer: totpEnrolmentSchema,
} as const satisfies Call;

export const confirmTotpCall = {
  method: "POST",
  path: "/api/auth/totp/confirm",
  body: totpConfirmationSchema,
  answer: recoveryCodesAnswerSchema,
} as const satisfies Call;

export const removeTotpCall = {
  method: "POST",
  path: "/api/auth/totp/remove",
  body: identityProofSchema,
  answer: done("removed"),
} as const satisfies Call;

export const renewRecoveryCodesCall = {
  method: "POST",
  path: "/api/auth/recovery-codes",
  body: identityProofSchema,
  answer: recoveryCodesAnswerSchema,
} as const satisfies Call;
