import type { Acceptance, InvitationOffer } from "../../../../shared/api/invitations.ts";
import type { Locale } from "../../../../shared/locale.ts";
import type { Tx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import { validationFailed } from "../../../http/http.errors.ts";
import { byAccount } from "../../../mail/mail-budget.ts";
import { emailTaken, registrationClosed } from "../../accounts/accounts.errors.ts";
import { claimAddress } from "../../accounts/addresses/claim-address.ts";
import {
  findInvitation,
  type InvitationRow,
  takeInvitation,
} from "../../accounts/mailed-links/doctor-invitations.repo.ts";
import { hashSecret } from "../../accounts/mailed-links/secrets.ts";
import { hashPassword } from "../../accounts/passwords/passwords.ts";
import { type OpenedSession, openSession } from "../../accounts/sessions/open-session.ts";
import type { Visitor } from "../../accounts/sign-in/visitor.ts";
import { findUser, findUserByEmail, insertUser, updateUser } from "../../accounts/users/users.repo.ts";
import type { UserRow } from "../../accounts/users/users.table.ts";
import { aboutStudy, recordAudit } from "../../audit/audit.repo.ts";
import { tellOfWaiting } from "../../membership/waiting-accounts.ts";
import { notify } from "../../notifications/notify.ts";
import { deadInvitation, signInToAccept } from "../studies.errors.ts";
import { askForReport, insertGrant, lockStudy } from "../studies.repo.ts";
import type { StudyRow } from "../studies.table.ts";
import { tellGrantee } from "./grant-access.ts";
import { owns } from "./study-access.ts";

/**
 * What the person who has an invitation's link is shown. Only the mailbox has the link, so it may say whether its address has an
 * account.
 * @throws {AppError} `invitation.dead`
 */
export async function readOffer(
  { db, clock }: Pick<Deps, "db" | "clock">,
  token: string,
): Promise<InvitationOffer> {
  const invitation = await findInvitation(db, hashSecret(token), clock.now());
  const inviter = invitation && (await findUser(db, invitation.invitedBy));
  if (!inviter) throw new AppError(deadInvitation);
  const { email } = invitation;
  return { email, inviterName: inviter.name, hasAccount: (await findUserByEmail(db, email)) !== undefined };
}

export interface AcceptedOffer {
  studyId: string;
  /** Of a new account; undefined if the address had one, or if an admin must authorise it first. */
  opened: OpenedSession | undefined;
}

type AcceptDeps = Pick<Deps, "db" | "clock" | "config" | "jobs" | "mailSeal" | "tokens">;

/** A doctor's account to be made. */
interface NewDoctor {
  name: string;
  passwordHash: string;
  locale: Locale;
}

/**
 * Accepts an invitation, once: the address's account, or the doctor's account that is made of `name` and `password`, gets to see
 * the study. The link proves the mailbox, so a new account is signed in; an account that was there must sign in itself.
 * @param input `callerId`: the account that is signed in where the link is opened
 * @throws {AppError} `invitation.dead`, `invitation.sign_in`, 400 without name and password where they are needed,
 *   `auth.registration_closed`
 */
export async function acceptInvitation(
  deps: AcceptDeps,
  { token, name, password, callerId, locale }: Acceptance & { callerId?: string | undefined; locale: Locale },
  visitor: Visitor,
): Promise<AcceptedOffer> {
  const { db, clock } = deps;
  const now = clock.now();
  const tokenHash = hashSecret(token);
  // A link that does not work costs no hashing.
  if (!(await findInvitation(db, tokenHash, now))) throw new AppError(deadInvitation);
  const isWhole = name !== undefined && password !== undefined;
  const doctor = isWhole ? { name, passwordHash: await hashPassword(password), locale } : undefined;
  return await db.transaction(async (tx) => {
    const invitation = await takeInvitation(tx, tokenHash, now);
    if (!invitation) throw new AppError(deadInvitation);
    const study = await findOffered(tx, invitation);
    const holder = await findUserByEmail(tx, invitation.email);
    if (holder) await assertOfReader(tx, holder, callerId, now);
    const user = holder ?? (await addDoctor(deps, tx, invitation.email, doctor, visitor));
    await giveAccess(deps, tx, { invitation, study, user }, visitor);
    const mayEnter = !holder && user.isAuthorized;
    const opened = mayEnter ? await openSession(deps, tx, { user, locale }, visitor) : undefined;
    return { studyId: study.id, opened };
  });
}

/** The study, if the account that offered it may still do so. */
async function findOffered(tx: Tx, { studyId, invitedBy }: InvitationRow): Promise<StudyRow> {
  const inviter = await findUser(tx, invitedBy);
  const study = await lockStudy(tx, studyId);
  if (!study || !inviter?.isAuthorized || !owns({ userId: inviter.id, role: inviter.role }, study))
    throw new AppError(deadInvitation);
  return study;
}

/**
 * Nobody proves the address they register with, so the account may be a stranger's to the link's reader. One that never proved its own
 * accepts in a session, which proves it.
 * @throws {AppError} `invitation.sign_in`
 */
async function assertOfReader(
  tx: Tx,
  holder: UserRow,
  callerId: string | undefined,
  now: Date,
): Promise<void> {
  if (holder.emailProvenAt) return;
  if (holder.id !== callerId) throw new AppError(signInToAccept);
  await updateUser(tx, holder.id, { emailProvenAt: now });
}

/** Like a registration, without a trial: viewing what others share needs no plan. */
async function addDoctor(
  deps: AcceptDeps,
  tx: Tx,
  email: string,
  doctor: NewDoctor | undefined,
  { address, requestId }: Visitor,
): Promise<UserRow> {
  const { clock, config } = deps;
  if (!doctor) throw new AppError(validationFailed);
  if (config.registration === "closed") throw new AppError(registrationClosed);
  const id = Bun.randomUUIDv7();
  const now = clock.now();
  const row = { id, email, role: "doctor", createdAt: now, emailProvenAt: now, ...doctor } as const;
  const isAuthorized = config.registration === "open";
  const isNew = (await claimAddress(tx, email, id, now)) && (await insertUser(tx, { ...row, isAuthorized }));
  const user = isNew && (await findUser(tx, id));
  if (!user) throw new AppError(emailTaken);
  if (!isAuthorized) await tellOfWaiting(deps, tx, id);
  await recordAudit(tx, {
    at: now,
    action: "user.registered",
    actorId: id,
    accountId: id,
    address,
    requestId,
  });
  return user;
}

async function giveAccess(
  deps: AcceptDeps,
  tx: Tx,
  { invitation, study, user }: { invitation: InvitationRow; study: StudyRow; user: UserRow },
  { address, requestId }: Visitor,
): Promise<void> {
  const { invitedBy, asksForReport } = invitation;
  if (user.id === study.accountId) return;
  const now = deps.clock.now();
  const grant = { studyId: study.id, userId: user.id, grantedBy: invitedBy, createdAt: now };
  const isNew = await insertGrant(tx, grant);
  if (asksForReport) await askForReport(tx, study.id, user.id, now);
  if (isNew) {
    await recordAudit(tx, {
      at: now,
      action: "study.granted",
      actorId: invitedBy,
      ...aboutStudy(study),
      details: { userId: user.id, invited: true },
      address,
      requestId,
    });
    await tellGrantee(deps, tx, study, user.id, invitedBy);
  }
  await notify(deps, tx, invitedBy, {
    event: "invitation.accepted",
    subjectId: study.id,
    studyId: study.id,
    actorId: user.id,
    cause: byAccount(user.id, now),
  });
}
