import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { UserRow } from "../users/users.table.ts";
import { wrongCurrentPassword } from "./auth.errors.ts";
import { verifyPassword } from "./passwords.ts";
import { beginAttempt } from "./throttle.ts";

/** @throws {AppError} `auth.wrong_current_password`; 429 after ten of them in a quarter of an hour */
export async function assertCurrentPassword(
  deps: Pick<Deps, "db" | "clock">,
  user: UserRow,
  password: string,
): Promise<void> {
  const rule = { name: "password:account", subject: user.id, limit: 10, windowSeconds: 15 * 60 };
  const attempt = await beginAttempt(deps.db, [rule], deps.clock.now());
  if (!(await verifyPassword(password, user.passwordHash))) throw new AppError(wrongCurrentPassword);
  await attempt.succeed(["password:account"]);
}
