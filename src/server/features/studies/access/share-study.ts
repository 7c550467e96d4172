import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import type { RequestOrigin } from "../../../http/request-origin.ts";
import { type Attempt, beginAttempt, wasAttempted } from "../../accounts/sign-in/throttle.ts";
import { userNotFound } from "../../accounts/users/users.errors.ts";
import { findUserByEmail } from "../../accounts/users/users.repo.ts";
import type { NotifyDeps } from "../../notifications/notify.ts";
import { doctorNotFound, studyNotOwner } from "../studies.errors.ts";
import type { Caller } from "../studies.repo.ts";
import { findStudy } from "./find-study.ts";
import { grantAccess } from "./grant-access.ts";
import { owns } from "./study-access.ts";

/** Addresses that an account may name in vain, so that nobody learns who is a doctor here from a list of addresses. */
const UNKNOWN_AN_HOUR = 60;
const HOUR_SECONDS = 3600;

/**
 * Lets a doctor, named by e-mail, see a study, and may ask them for a report. Other accounts can't be found this way, and only the
 * study's owner can find a doctor; an admin can find anyone.
 * @throws {AppError} `study.not_found`, `study.not_owner`, `doctor.not_found`, for an admin `user.not_found`; 429 after many addresses
 *   without a doctor
 */
export async function shareStudy(
  deps: Pick<Deps, "db"> & NotifyDeps,
  caller: Caller,
  input: { reference: string; email: string; asksForReport?: boolean | undefined },
  origin: RequestOrigin,
) {
  const isAdmin = caller.role === "admin";
  if (!owns(caller, await findStudy(deps.db, caller, input.reference))) throw new AppError(studyNotOwner);
  const attempt = isAdmin ? undefined : await beginSearch(deps, caller, input.email);
  const user = await findUserByEmail(deps.db, input.email);
  if (!user?.isAuthorized || (user.role !== "doctor" && !isAdmin)) {
    throw new AppError(isAdmin ? userNotFound : doctorNotFound);
  }
  await attempt?.succeed();
  const { reference, asksForReport } = input;
  await grantAccess(deps, caller, { reference, userId: user.id, asksForReport }, origin);
  const { id: userId, name, email, role } = user;
  return { userId, name, email, role };
}

/** Begins a search that counts if it finds nobody; `undefined` if the address was counted within the hour. */
async function beginSearch(
  { db, clock }: NotifyDeps & Pick<Deps, "db">,
  { userId }: Caller,
  email: string,
): Promise<Attempt | undefined> {
  const every = {
    name: "share:unknown",
    subject: userId,
    limit: UNKNOWN_AN_HOUR,
    windowSeconds: HOUR_SECONDS,
  };
  // A program shares each exam as it comes, with the same doctor, who may have no account yet.
  const same = { ...every, name: "share:unknown-address", subject: `${userId} ${email.toLowerCase()}` };
  const now = clock.now();
  return (await wasAttempted(db, same, now)) ? undefined : await beginAttempt(db, [every, same], now);
}
