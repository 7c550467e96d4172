import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { unauthenticated } from "../../http/http.errors.ts";
import type { Session } from "../../http/session.ts";
import { assertCurrentPassword } from "../accounts/passwords/assert-current-password.ts";
import type { Visitor } from "../accounts/sign-in/visitor.ts";
import { findUser } from "../accounts/users/users.repo.ts";
import { deleteUser } from "./delete-user.ts";

/**
 * Deletes the caller's own account with all its data, given its password, whatever the subscription.
 * @throws {AppError} `auth.wrong_current_password`, `user.last_admin`, 429
 */
export async function deleteOwnAccount(
  deps: Pick<Deps, "db" | "clock" | "jobs" | "node" | "config">,
  session: Session,
  password: string,
  visitor: Visitor,
): Promise<void> {
  const user = await findUser(deps.db, session.userId);
  if (!user) throw new AppError(unauthenticated);
  await assertCurrentPassword(deps, user, password, visitor);
  await deleteUser(deps, session, user.id, visitor);
}
