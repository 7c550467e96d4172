import * as z from "zod/mini";
import { emailSchema, givenPasswordSchema, nameSchema, newPasswordSchema } from "./account-fields.ts";
import { type Call, done } from "./call.ts";
import { instantSchema } from "./dates.ts";
import { listPageSchema } from "./page-limit.ts";

export const roles = ["admin", "user", "doctor", "lab"] as const;
export const roleSchema = z.enum(roles);
export type Role = z.infer<typeof roleSchema>;

/** The current user, flat. The answers of login and verify-2fa carry `token` too. Times are ISO 8601 UTC. */
export const currentUserSchema = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  cpfcnpj: z.nullable(z.string()),
  role: roleSchema,
  isTrial: z.boolean(),
  isAuthorized: z.boolean(),
  createdAt: z.string(),
  expiresAt: z.nullable(z.string()),
  profileImageUrl: z.nullable(z.string()),
  termsAcceptedAt: z.nullable(z.string()),
  /** Only in an admin's list: whether the account has a passkey or an authenticator app. */
  hasSecondFactor: z.optional(z.boolean()),
});
export type CurrentUser = z.infer<typeof currentUserSchema>;

export const signedInUserSchema = z.extend(currentUserSchema, { token: z.string() });
export type SignedInUser = z.infer<typeof signedInUserSchema>;

/** E-mails are compared without case. */
export function isSameEmail(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}

/** The rules of a profile change that hold without knowing the account. */
export const profileChangeSchema = z.object({
  name: nameSchema,
  email: emailSchema,
  currentPassword: z.optional(z.string().check(z.maxLength(1024, "validation.tooLong"))),
  newPassword: z.optional(z.union([z.literal(""), newPasswordSchema])),
});
export type ProfileChange = z.infer<typeof profileChangeSchema>;

/**
 * A profile change of the account that has `email`. A new password or a new e-mail requires the current password; no
 * other change may carry it.
 */
export function profileChangeSchemaFor(email: string) {
  return profileChangeSchema.check(
    z.refine(
      (change) =>
        change.newPassword
          ? Boolean(change.currentPassword)
          : !change.currentPassword || !isSameEmail(change.email, email),
      { error: "validation.passwordChangeInvalid", path: ["newPassword"] },
    ),
    z.refine(
      (change) =>
        isSameEmail(change.email, email) || Boolean(change.newPassword) || Boolean(change.currentPassword),
      { error: "validation.emailChangePassword", path: ["currentPassword"] },
    ),
  );
}

/**
 * The answer of a profile change. A password change ends every session, so `token` replaces the caller's. `pendingEmail`
 * takes effect when the link that was mailed to it is opened.
 */
export const profileAnswerSchema = z.object({
  user: currentUserSchema,
  pendingEmail: z.nullable(z.string()),
  token: z.optional(z.string()),
});
export type ProfileAnswer = z.infer<typeof profileAnswerSchema>;

export const newUserSchema = z.object({
  name: nameSchema,
  email: emailSchema,
  role: z._default(roleSchema, "user"),
});
export type NewUser = z.infer<typeof newUserSchema>;

/** `invitationUrl` is present only if no mail server is set; the admin then hands it over. */
export const newUserAnswerSchema = z.object({
  user: currentUserSchema,
  invitationUrl: z.optional(z.string()),
});
export type NewUserAnswer = z.infer<typeof newUserAnswerSchema>;

export const userChangeSchema = z.object({
  name: z.optional(nameSchema),
  email: z.optional(emailSchema),
  role: z.optional(roleSchema),
  isAuthorized: z.optional(z.boolean()),
  /** End of the subscription; null for never. */
  expiresAt: z.optional(z.nullable(instantSchema)),
});
export type UserChange = z.infer<typeof userChangeSchema>;

export const ownDeletionSchema = z.object({ password: givenPasswordSchema });
export type OwnDeletion = z.infer<typeof ownDeletionSchema>;

/** An admin's own password, required to remove the second factors that a user has lost. */
export const factorClearingSchema = z.object({ currentPassword: givenPasswordSchema });
export type FactorClearing = z.infer<typeof factorClearingSchema>;

/** Where the browser fetches all data of the account, for five minutes. */
export const exportTicketSchema = z.object({ url: z.string(), fileName: z.string() });
export type ExportTicket = z.infer<typeof exportTicketSchema>;

export const MAX_USER_SEARCH = 200;

/** A page of accounts. */
export const accountPageSchema = z.extend(listPageSchema, {
  /** Part of a name or an e-mail; case and accents don't matter. */
  search: z.optional(z.string().check(z.maxLength(MAX_USER_SEARCH))),
});

/** Query of `GET /api/users`; without `limit` all are returned, at most 10,000. */
export const userListQuerySchema = z.extend(accountPageSchema, {
  role: z.optional(roleSchema),
  status: z.optional(z.enum(["authorized", "unauthorized"])),
  id: z.optional(z.string().check(z.uuid())),
});
export type UserListQuery = z.infer<typeof userListQuerySchema>;

export const listUsersCall = {
  method: "GET",
  path: "/api/users",
  query: userListQuerySchema,
  answer: z.array(currentUserSchema),
} as const satisfies Call;

export const addUserCall = {
  method: "POST",
  path: "/api/users",
  body: newUserSchema,
  answer: newUserAnswerSchema,
} as const satisfies Call;

export const changeUserCall = {
  method: "PATCH",
  path: "/api/users/:id",
  body: userChangeSchema,
  answer: currentUserSchema,
} as const satisfies Call;

export const clearFactorsCall = {
  method: "POST",
  path: "/api/users/:id/clear-factors",
  body: factorClearingSchema,
  answer: done("cleared"),
} as const satisfies Call;

export const deleteUserCall = {
  method: "DELETE",
  path: "/api/users/:id",
  answer: done("deleted"),
} as const satisfies Call;

export const changeProfileCall = {
  method: "PATCH",
  path: "/api/users/profile",
  body: profileChangeSchema,
  answer: profileAnswerSchema,
} as const satisfies Call;

export const acceptTermsCall = {
  method: "POST",
  path: "/api/users/accept-terms",
  answer: z.object({ termsAcceptedAt: z.string() }),
} as const satisfies Call;

export const deleteOwnAccountCall = {
  method: "POST",
  path: "/api/users/delete-own",
  body: ownDeletionSchema,
  answer: done("deleted"),
} as const satisfies Call;

export const exportTicketCall = {
  method: "POST",
  path: "/api/users/export-ticket",
  answer: exportTicketSchema,
} as const satisfies Call;

export const examCountCall = {
  method: "GET",
  path: "/api/users/exam-count",
  answer: z.object({ count: z.number() }),
} as const satisfies Call;
