import * as z from "zod/mini";
import { signInMethods } from "../../../shared/rules/sign-in-methods.ts";
import { sessionStore } from "../../runtime/browser-storage.ts";

/** How long a code is valid, and how long after the password step it may be sent again. */
export const CODE_LIFE_MS = 10 * 60_000;

const KEY = "pending-sign-in";

const pendingSignInSchema = z.object({
  email: z.string(),
  keepConnected: z.boolean(),
  /** Time of the accepted password, in epoch milliseconds. */
  passwordAt: z.number(),
  /** Absent if a code was mailed. */
  methods: z.optional(z.array(z.enum(signInMethods))),
});

/** A sign-in that waits for its second step. */
export type PendingSignIn = z.infer<typeof pendingSignInSchema>;

/**
 * This tab's pending sign-in, if its code may still be valid. It is kept in the tab's storage, because a phone may discard
 * the page while the person reads the mail.
 */
export function readPendingSignIn(now: number): PendingSignIn | undefined {
  const stored = pendingSignInSchema.safeParse(sessionStore.readJson(KEY));
  return stored.success && now - stored.data.passwordAt < CODE_LIFE_MS ? stored.data : undefined;
}

/** Keeps the pending sign-in for this tab; `undefined` removes it. */
export function keepPendingSignIn(pending: PendingSignIn | undefined): void {
  sessionStore.write(KEY, pending && JSON.stringify(pending));
}
