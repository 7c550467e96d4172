import type { Tx } from "../../../db/client.ts";
import { isReferenceGone } from "../../../db/database.errors.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import type { RequestOrigin } from "../../../http/request-origin.ts";
import { byAccount } from "../../../mail/mail-budget.ts";
import { userNotFound } from "../../accounts/users/users.errors.ts";
import { findUser } from "../../accounts/users/users.repo.ts";
import { aboutStudy, recordAudit } from "../../audit/audit.repo.ts";
import { deleteNotifications } from "../../notifications/notifications.repo.ts";
import { type NotifyDeps, notify } from "../../notifications/notify.ts";
import { studyNotOwner } from "../studies.errors.ts";
import {
  askForReport,
  type Caller,
  deleteGrant,
  type GrantRow,
  insertGrant,
  listGrants,
} from "../studies.repo.ts";
import type { StudyRow } from "../studies.table.ts";
import { findStudy } from "./find-study.ts";
import { owns } from "./study-access.ts";

type GrantDeps = Pick<Deps, "db" | "clock">;

/**
 * Lets `userId` see a study (`assign`). The owner and admins may grant to anyone. Other callers may only grant to themselves, and
 * only with access already, which changes nothing. Idempotent, except that a later call may ask for a report.
 * @throws {AppError} `study.not_found`, `study.not_owner`, `user.not_found`
 */
export async function grantAccess(
  deps: GrantDeps & NotifyDeps,
  caller: Caller,
  input: { reference: string; userId: string; asksForReport?: boolean | undefined },
  origin: RequestOrigin,
): Promise<void> {
  const study = await findStudy(deps.db, caller, input.reference);
  if (input.userId === caller.userId) return;
  if (!owns(caller, study)) throw new AppError(studyNotOwner);
  if (input.userId === study.accountId) return;
  if (!(await findUser(deps.db, input.userId))) throw new AppError(userNotFound);
  const now = deps.clock.now();
  const granting = deps.db.transaction(async (tx) => {
    const { userId, asksForReport } = input;
    const isNew = await insertGrant(tx, {
      studyId: study.id,
      userId,
      grantedBy: caller.userId,
      createdAt: now,
    });
    if (asksForReport) await askForReport(tx, study.id, userId, now);
    if (!isNew) return;
    await recordAudit(tx, {
      at: now,
      action: "study.granted",
      actorId: caller.userId,
      ...aboutStudy(study),
      details: { userId },
      ...origin,
    });
    await tellGrantee(deps, tx, study, userId, caller.userId);
  });
  await granting.catch(async (cause) => {
    if (!isReferenceGone(cause)) throw cause;
    // The study or the grantee was deleted meanwhile.
    await findStudy(deps.db, caller, study.id);
    throw new AppError(userNotFound, { cause });
  });
}

/** Tells an account that it may see a study now. */
export async function tellGrantee(
  deps: NotifyDeps,
  tx: Tx,
  study: Pick<StudyRow, "id">,
  userId: string,
  grantedBy: string,
): Promise<void> {
  await notify(deps, tx, userId, {
    event: "study.shared",
    subjectId: study.id,
    studyId: study.id,
    actorId: grantedBy,
    cause: byAccount(grantedBy, deps.clock.now()),
  });
}

/**
 * Takes a grant back, which also ends an open viewer of that user. Idempotent.
 * @throws {AppError} `study.not_found`, `study.not_owner`
 */
export async function revokeAccess(
  deps: GrantDeps,
  caller: Caller,
  input: { reference: string; userId: string },
  origin: RequestOrigin,
): Promise<void> {
  const study = await findStudy(deps.db, caller, input.reference);
  if (!owns(caller, study)) throw new AppError(studyNotOwner);
  const now = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    if (!(await deleteGrant(tx, study.id, input.userId))) return;
    await deleteNotifications(tx, { event: "study.shared", subjectId: study.id, userId: input.userId });
    await recordAudit(tx, {
      at: now,
      action: "study.revoked",
      actorId: caller.userId,
      ...aboutStudy(study),
      details: { userId: input.userId },
      ...origin,
    });
  });
}

/** @throws {AppError} `study.not_found`, `study.not_owner` */
export async function readGrants(deps: GrantDeps, caller: Caller, reference: string): Promise<GrantRow[]> {
  const study = await findStudy(deps.db, caller, reference);
  if (!owns(caller, study)) throw new AppError(studyNotOwner);
  return await listGrants(deps.db, study.id);
}
