import type { Tx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import type { Session } from "../../../http/session.ts";
import { composeMail, type MailContent } from "../../../mail/compose-mail.ts";
import { mailWithinBudget } from "../../../mail/mail.jobs.ts";
import { byAccount } from "../../../mail/mail-budget.ts";
import { listAdmins } from "./users.repo.ts";

/** An installation with more admins than this has one among the first who reads the mail. */
const TOLD_AT_MOST = 10;

/**
 * Tells the admins about a new one, so that nobody creates a second way in unnoticed. Mails beyond the acting admin's budget
 * are left out: by then the others have been told several times.
 */
export async function tellAdmins(
  deps: Pick<Deps, "clock" | "config" | "jobs" | "mailSeal">,
  tx: Tx,
  acting: Session,
  added: { id: string; email: string },
): Promise<void> {
  const { productName } = deps.config;
  const admins = await listAdmins(tx, TOLD_AT_MOST);
  const by = admins.find(({ id }) => id === acting.userId)?.email ?? acting.userId;
  for (const { id, email: to, locale } of admins) {
    if (id === added.id) continue;
    const mail = composeMail(adminAddedMail(added.email, by), { to, locale, productName });
    await mailWithinBudget(deps, tx, mail, byAccount(acting.userId, deps.clock.now()));
  }
}

function adminAddedMail(email: string, by: string): MailContent {
  return {
    subject: /*i18n*/ { id: "mail.adminAdded.subject", message: "{productName} has one more administrator" },
    paragraphs: [
      /*i18n*/ { id: "mail.adminAdded.text", message: "{by} made {email} an administrator." },
      /*i18n*/ {
        id: "mail.adminAdded.unknown",
        message:
          "If you do not know of this, block that account and change the password of the account that did it.",
      },
    ],
    values: { email, by },
  };
}
