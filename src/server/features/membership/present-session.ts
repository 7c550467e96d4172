import type { SignedInUser } from "../../../shared/api/users.ts";
import type { Deps } from "../../deps.ts";
import type { OpenedSession } from "../accounts/sessions/open-session.ts";
import { presentUser } from "../accounts/users/present-user.ts";
import { findSubscription } from "../subscriptions/subscriptions.repo.ts";

/** The signed-in user as the API shows them, with their session's token. */
export async function presentSession(
  { db }: Pick<Deps, "db">,
  { user, token }: OpenedSession,
): Promise<SignedInUser> {
  const subscription = await findSubscription(db, user.id);
  return { ...presentUser(user, subscription?.expiresAt ?? null), token };
}
