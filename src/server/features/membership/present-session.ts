import type { SignedInUser } from "../../../shared/api/users.ts";
import type { Deps } from "../../deps.ts";
import type { OpenedSession } from "../accounts/sessions/open-session.ts";
import { presentUser } from "../accounts/users/present-user.ts";
import { findSubscription } from "../subscriptions/subscriptions.repo.ts";

/** Who signed in, as the API shows them, with the token of their session. */
export async function presentSession(
  { db }: Pick<Deps, "db">,
  { user, token }: OpenedSession,
): Promise<SignedInUser> {
  const subscription = await findSubscription(db, user.id);
  return { ...presentUser(user, subscription?.expiresAt ?? null), token };
}
