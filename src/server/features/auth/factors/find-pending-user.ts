import type { Deps } from "../../../deps.ts";
import { findUserByEmail } from "../../users/users.repo.ts";
import { findChallenge } from "../second-factor.repo.ts";

/** Whose sign-in waits for a second step: only there may a stranger learn which keys an account has. */
export async function findPendingUserId(
  { db, clock }: Pick<Deps, "db" | "clock">,
  email: string,
): Promise<string | undefined> {
  const user = await findUserByEmail(db, email);
  const challenge = user && (await findChallenge(db, user.id, clock.now()));
  return challenge?.userId;
}
