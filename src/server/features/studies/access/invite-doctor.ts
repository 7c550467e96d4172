import type { Invitation } from "../../../../shared/api/invitations.ts";
import type { Locale } from "../../../../shared/locale.ts";
import { DAY_MS } from "../../../../shared/units.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import { notFound } from "../../../http/http.errors.ts";
import type { RequestOrigin } from "../../../http/request-origin.ts";
import type { Session } from "../../../http/session.ts";
import { composeMail } from "../../../mail/compose-mail.ts";
import { enqueueMail } from "../../../mail/mail.jobs.ts";
import { byAccountToStranger } from "../../../mail/mail-budget.ts";
import { registrationClosed } from "../../accounts/accounts.errors.ts";
import { doctorInvitationMail } from "../../accounts/mailed-links/auth-mails.ts";
import {
  countInvitationsBy,
  deleteInvitation,
  type InvitationRow,
  listInvitations,
  replaceInvitation,
} from "../../accounts/mailed-links/doctor-invitations.repo.ts";
import { hashSecret, newSecret } from "../../accounts/mailed-links/secrets.ts";
import { lockSession } from "../../accounts/sessions/lock-session.ts";
import { aboutStudy, recordAudit } from "../../audit/audit.repo.ts";
import { studyNotOwner, tooManyInvitations } from "../studies.errors.ts";
import type { Caller } from "../studies.repo.ts";
import type { StudyRow } from "../studies.table.ts";
import { findStudy } from "./find-study.ts";
import { owns } from "./study-access.ts";
import { unlessStudyGone } from "./unless-study-gone.ts";

const INVITATION_MS = 7 * DAY_MS;
/** The most invitations of an account that are open at once. */
const MAX_OPEN = 100;

async function findOwnStudy(deps: Pick<Deps, "db">, caller: Caller, reference: string): Promise<StudyRow> {
  const study = await findStudy(deps.db, caller, reference);
  if (!owns(caller, study)) throw new AppError(studyNotOwner);
  return study;
}

/**
 * Mails a link to an address, on which a doctor makes their account and gets to see the study. Never looks whether the address
 * has an account, so the answer and its time tell nothing of that. An earlier link of the same address to the study ends.
 * @throws {AppError} `study.not_found`, `study.not_owner`, `invitation.too_many`, `auth.registration_closed`, 429
 */
export async function inviteDoctor(
  deps: Pick<Deps, "db" | "clock" | "config" | "jobs" | "mailSeal">,
  caller: Session,
  input: { reference: string; email: string; asksForReport: boolean; locale: Locale },
  origin: RequestOrigin,
): Promise<Invitation> {
  const { db, clock, config } = deps;
  const { email, asksForReport, locale } = input;
  const study = await findOwnStudy(deps, caller, input.reference);
  if (config.registration === "closed") throw new AppError(registrationClosed);
  const now = clock.now();
  const token = newSecret();
  const row: InvitationRow = {
    id: Bun.randomUUIDv7(),
    tokenHash: hashSecret(token),
    studyId: study.id,
    invitedBy: caller.userId,
    email,
    asksForReport,
    createdAt: now,
    expiresAt: new Date(now.getTime() + INVITATION_MS),
  };
  const content = doctorInvitationMail(`${config.publicUrl}/invitation/${token}`);
  const mail = composeMail(content, { to: email, locale, productName: config.productName });
  const inviting = db.transaction(async (tx) => {
    await lockSession(tx, caller);
    // The budgets are locked first: two invitations of one account to one address wait for each other there.
    await enqueueMail(deps, tx, mail, byAccountToStranger(caller.userId, now));
    if ((await countInvitationsBy(tx, caller.userId, now)) >= MAX_OPEN)
      throw new AppError(tooManyInvitations);
    await replaceInvitation(tx, row);
    await recordAudit(tx, {
      at: now,
      action: "study.offered",
      actorId: caller.userId,
      ...aboutStudy(study),
      ...origin,
    });
  });
  await unlessStudyGone(inviting);
  return presentInvitation(row);
}

/** @throws {AppError} `study.not_found`, `study.not_owner` */
export async function readInvitations(
  deps: Pick<Deps, "db" | "clock">,
  caller: Caller,
  reference: string,
): Promise<Invitation[]> {
  const study = await findOwnStudy(deps, caller, reference);
  const rows = await listInvitations(deps.db, study.id, deps.clock.now());
  return rows.map(presentInvitation);
}

/**
 * Ends an invitation's link at once.
 * @throws {AppError} `study.not_found`, `study.not_owner`, 404 for an invitation that is not open
 */
export async function withdrawInvitation(
  deps: Pick<Deps, "db" | "clock">,
  caller: Caller,
  { reference, id }: { reference: string; id: string },
  origin: RequestOrigin,
): Promise<void> {
  const study = await findOwnStudy(deps, caller, reference);
  await deps.db.transaction(async (tx) => {
    if (!(await deleteInvitation(tx, study.id, id))) throw new AppError(notFound);
    await recordAudit(tx, {
      at: deps.clock.now(),
      action: "study.offer_withdrawn",
      actorId: caller.userId,
      ...aboutStudy(study),
      ...origin,
    });
  });
}

function presentInvitation({ id, email, createdAt, expiresAt }: InvitationRow): Invitation {
  return { id, email, createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() };
}
