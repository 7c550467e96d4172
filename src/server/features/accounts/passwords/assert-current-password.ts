import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import { wrongCurrentPassword } from "../accounts.errors.ts";
import { beginGuess, QUARTER_HOUR_SECONDS } from "../sign-in/begin-guess.ts";
import type { Visitor } from "../sign-in/visitor.ts";
import type { UserRow } from "../users/users.table.ts";
import { verifyPassword } from "./passwords.ts";

/**
 * @throws {AppError} `auth.wrong_current_password`; 429 after ten of them in 15 minutes, or after twenty from places where
 *   the owner has never signed in
 */
export async function assertCurrentPassword(
  deps: Pick<Deps, "db" | "clock">,
  user: UserRow,
  password: string,
  visitor: Visitor,
): Promise<void> {
  const guess = { name: "password", email: user.email, place: visitor, windowSeconds: QUARTER_HOUR_SECONDS };
  const attempt = await beginGuess(deps.db, { ...guess, limit: 10, strangersLimit: 20 }, deps.clock.now());
  if (!(await verifyPassword(password, user.passwordHash))) throw new AppError(wrongCurrentPassword);
  await attempt.succeed();
}
