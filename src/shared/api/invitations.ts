import * as z from "zod/mini";
import { emailSchema, nameSchema, newPasswordSchema } from "./account-fields.ts";
import { linkTokenSchema } from "./auth.ts";
import type { Call } from "./call.ts";
import { signedInUserSchema } from "./users.ts";

/** An invitation that waits for a doctor. */
export const invitationSchema = z.object({
  id: z.string(),
  email: z.string(),
  createdAt: z.string(),
  expiresAt: z.string(),
});
export type Invitation = z.infer<typeof invitationSchema>;

export const inviteDoctorCall = {
  method: "POST",
  path: "/api/studies/:study/invitations",
  body: z.object({ email: emailSchema, asksForReport: z.optional(z.boolean()) }),
  answer: invitationSchema,
} as const satisfies Call;

/** Newest first, at most 100. */
export const listInvitationsCall = {
  method: "GET",
  path: "/api/studies/:study/invitations",
  answer: z.array(invitationSchema),
} as const satisfies Call;

export const withdrawInvitationCall = {
  method: "DELETE",
  path: "/api/studies/:study/invitations/:id",
} as const satisfies Call;

/** What the person with the mailed link is shown before they accept. */
export const invitationOfferSchema = z.object({
  email: z.string(),
  inviterName: z.string(),
  /** Whether this address already has an account, which then gets the exam. */
  hasAccount: z.boolean(),
});
export type InvitationOffer = z.infer<typeof invitationOfferSchema>;

export const readInvitationCall = {
  method: "POST",
  path: "/api/invitations/read",
  body: linkTokenSchema,
  answer: invitationOfferSchema,
} as const satisfies Call;

/** Name and password are for an address without an account. */
export const acceptanceSchema = z.extend(linkTokenSchema, {
  name: z.optional(nameSchema),
  password: z.optional(newPasswordSchema),
});
export type Acceptance = z.infer<typeof acceptanceSchema>;

export const acceptedInvitationSchema = z.object({
  studyId: z.string(),
  /** The session of the new account; null if the address had one, or if an admin must authorise the new one first. */
  session: z.nullable(signedInUserSchema),
});
export type AcceptedInvitation = z.infer<typeof acceptedInvitationSchema>;

export const acceptInvitationCall = {
  method: "POST",
  path: "/api/invitations/accept",
  body: acceptanceSchema,
  answer: acceptedInvitationSchema,
} as const satisfies Call;
