import type { CurrentUser } from "../../../shared/api/users.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { unauthenticated } from "../../http/http.errors.ts";
import type { Session } from "../../http/session.ts";
import { presentUser } from "../accounts/users/present-user.ts";
import { findUser } from "../accounts/users/users.repo.ts";
import { findSubscription } from "../subscriptions/subscriptions.repo.ts";

/** @throws {AppError} 401 if the account was deleted since the session was read */
export async function readCurrentUser(deps: Pick<Deps, "db">, session: Session): Promise<CurrentUser> {
  const [user, subscription] = await Promise.all([
    findUser(deps.db, session.userId),
    findSubscription(deps.db, session.userId),
  ]);
  if (!user) throw new AppError(unauthenticated);
  return presentUser(user, subscription?.expiresAt ?? null);
}
