import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import type { RequestOrigin } from "../../../http/request-origin.ts";
import { userNotFound } from "../../accounts/users/users.errors.ts";
import { findUserByEmail } from "../../accounts/users/users.repo.ts";
import type { NotifyDeps } from "../../notifications/notify.ts";
import { doctorNotFound, studyNotOwner } from "../studies.errors.ts";
import type { Caller } from "../studies.repo.ts";
import { findStudy } from "./find-study.ts";
import { grantAccess } from "./grant-access.ts";
import { owns } from "./study-access.ts";

/**
 * Lets a doctor, named by e-mail, see a study, and may ask them for a report. Other accounts can't be found this way, and only the
 * study's owner can find a doctor; an admin can find anyone.
 * @throws {AppError} `study.not_found`, `study.not_owner`, `doctor.not_found`, for an admin `user.not_found`
 */
export async function shareStudy(
  deps: Pick<Deps, "db"> & NotifyDeps,
  caller: Caller,
  input: { reference: string; email: string; asksForReport?: boolean | undefined },
  origin: RequestOrigin,
) {
  const isAdmin = caller.role === "admin";
  if (!owns(caller, await findStudy(deps.db, caller, input.reference))) throw new AppError(studyNotOwner);
  const user = await findUserByEmail(deps.db, input.email);
  if (!user?.isAuthorized || (user.role !== "doctor" && !isAdmin)) {
    throw new AppError(isAdmin ? userNotFound : doctorNotFound);
  }
  const { reference, asksForReport } = input;
  await grantAccess(deps, caller, { reference, userId: user.id, asksForReport }, origin);
  const { id: userId, name, email, role } = user;
  return { userId, name, email, role };
}
