import type { Deps } from "../../../deps.ts";
import type { Visitor } from "../sign-in/browser-cookie.ts";
import { findLogins } from "../sign-in/pending-logins.ts";
import { findUserByEmail } from "../users/users.repo.ts";

/**
 * Whose sign-in waits for a second step in this very browser: nobody else learns which keys an account has, or that it
 * signs in just now.
 */
export async function findPendingUserId(
  { db, clock }: Pick<Deps, "db" | "clock">,
  email: string,
  visitor: Visitor,
): Promise<string | undefined> {
  const user = await findUserByEmail(db, email);
  const logins = await findLogins(db, user, visitor, clock.now());
  return logins.find(({ triesOf }) => triesOf === "browser")?.login.userId;
}
