import type { Deps } from "../../../deps.ts";
import { findUserByEmail } from "../../users/users.repo.ts";
import type { Visitor } from "../browser-cookie.ts";
import { findLogins } from "../pending-logins.ts";

/** Whose sign-in waits for a second step here: only there may a stranger learn which keys an account has. */
export async function findPendingUserId(
  { db, clock }: Pick<Deps, "db" | "clock">,
  email: string,
  visitor: Visitor,
): Promise<string | undefined> {
  const user = await findUserByEmail(db, email);
  const [found] = await findLogins(db, user, visitor, clock.now());
  return found?.login.userId;
}
