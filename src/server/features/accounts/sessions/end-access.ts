import type { Tx } from "../../../db/client.ts";
import { deleteAccessTokensOf } from "../access-tokens/access-tokens.repo.ts";
import { deleteInvitationsBy } from "../mailed-links/doctor-invitations.repo.ts";
import { deleteLinksOf } from "../mailed-links/mailed-links.repo.ts";
import { deleteLoginsOf } from "../sign-in/pending-logins.repo.ts";
import { forgetDevices } from "../sign-in/trusted-devices.repo.ts";
import { revokeUserSessions } from "./sessions.repo.ts";

/**
 * Ends what a change of password, address or second factor always ends: every mailed link, those to invited doctors included, every
 * sign-in that waits for its code and every remembered device.
 */
export async function endLinksAndDevices(tx: Tx, userId: string): Promise<void> {
  await deleteLinksOf(tx, userId);
  await deleteInvitationsBy(tx, userId);
  await deleteLoginsOf(tx, userId);
  await forgetDevices(tx, userId);
}

/** Ends every session with its viewers and downloads, and every access token. */
export async function endSessionsAndTokens(tx: Tx, userId: string, now: Date): Promise<void> {
  await revokeUserSessions(tx, userId, now);
  await deleteAccessTokensOf(tx, userId);
}

/**
 * Like {@link endLinksAndDevices}, and ends every session and access token. Tokens end with the password too: whoever knew it may
 * have made one, and the owner who changes it expects everybody to be out.
 */
export async function endAllAccess(tx: Tx, userId: string, now: Date): Promise<void> {
  await endLinksAndDevices(tx, userId);
  await endSessionsAndTokens(tx, userId, now);
}
