import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { userNotFound } from "../users/users.errors.ts";
import { findUserByEmail } from "../users/users.repo.ts";
import { grantAccess } from "./grant-access.ts";
import type { Caller } from "./studies.repo.ts";

/**
 * Lets a doctor see a study, named by his e-mail. Other accounts can't be found this way; an admin finds anyone.
 * @throws {AppError} `study.not_found`, `study.not_owner`, `user.not_found`
 */
export async function shareStudy(
  deps: Pick<Deps, "db" | "clock">,
  caller: Caller,
  input: { reference: string; email: string },
  origin: RequestOrigin,
) {
  const user = await findUserByEmail(deps.db, input.email);
  const mayBeFound = user && (user.role === "doctor" || caller.role === "admin");
  if (!mayBeFound || !user.isAuthorized) throw new AppError(userNotFound);
  await grantAccess(deps, caller, { reference: input.reference, userId: user.id }, origin);
  const { id: userId, name, email, role } = user;
  return { userId, name, email, role };
}
