import type { Deps } from "../../../deps.ts";
import { findLogins } from "../sign-in/pending-logins.ts";
import type { Visitor } from "../sign-in/visitor.ts";
import { findUserByEmail } from "../users/users.repo.ts";

/**
 * The user whose sign-in waits for a second step in this browser. The browser must match, so that strangers cannot learn
 * which keys an account has or that it is signing in.
 */
export async function findPendingUserId(
  { db, databaseClock }: Pick<Deps, "db" | "databaseClock">,
  email: string,
  visitor: Visitor,
): Promise<string | undefined> {
  const user = await findUserByEmail(db, email);
  const logins = await findLogins(db, user, visitor, databaseClock.now());
  return logins.find(({ triesOf }) => triesOf === "browser")?.login.userId;
}
