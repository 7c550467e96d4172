import type { NotificationDetails } from "../../../shared/api/notifications.ts";
import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { composeMail, type MailContent } from "../../mail/compose-mail.ts";
import { mailWithinBudget } from "../../mail/mail.jobs.ts";
import type { MailCause } from "../../mail/mail-budget.ts";
import { findUser, listAdmins } from "../accounts/users/users.repo.ts";
import { type EventWithMail, type EventWithText, eventMail } from "./event-mails.ts";
import { wantsMail } from "./mail-choices.ts";
import { insertNotification } from "./notifications.repo.ts";

export type NotifyDeps = Pick<Deps, "clock" | "config" | "jobs" | "mailSeal">;

/** Something that an account is told. */
export type Notice = Told &
  (
    | { event: EventWithText; mail?: undefined }
    /** The mail must name no patient: the owner of an exam is usually its patient. */
    | { event: EventWithMail; mail: MailContent }
  );

interface Told {
  /** The study, payment, account or delivery it is about. */
  subjectId: string;
  studyId?: string;
  actorId?: string | null;
  details?: NotificationDetails;
  /** Whether an account that was told of it before is not told again. */
  once?: boolean;
  /** False where the app alone tells, since a mail told of the same subject before (true). */
  isMailed?: boolean;
  /** Which mails of the hour it takes from. Beyond them the app alone tells. */
  cause: MailCause;
}

/** Installations with more admins than this have one among the first who looks. */
const TOLD_ADMINS = 10;

/** Tells an account something, in the transaction that causes it: in the app, and by mail if it wants one. */
export async function notify(deps: NotifyDeps, tx: Tx, userId: string, notice: Notice): Promise<void> {
  const user = await findUser(tx, userId);
  if (!user) return;
  const {
    event,
    subjectId,
    studyId = null,
    actorId = null,
    details = {},
    once = false,
    isMailed = true,
    cause,
  } = notice;
  const at = deps.clock.now();
  const id = Bun.randomUUIDv7();
  const row = { id, userId, event, subjectId, studyId, actorId, details, at };
  if (!(await insertNotification(tx, row, { once }))) return;
  if (!isMailed || !user.isAuthorized || !(await wantsMail(tx, userId, event))) return;
  const { productName, publicUrl } = deps.config;
  const content = notice.mail ? notice.mail : eventMail(notice.event, publicUrl);
  const composed = composeMail(content, { to: user.email, locale: user.locale, productName });
  await mailWithinBudget(deps, tx, composed, cause);
}

/** Tells the admins something. */
export async function notifyAdmins(deps: NotifyDeps, tx: Tx, notice: Notice): Promise<void> {
  for (const { id } of await listAdmins(tx, TOLD_ADMINS)) await notify(deps, tx, id, notice);
}
