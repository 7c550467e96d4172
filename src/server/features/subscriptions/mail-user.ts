import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { composeMail, type MailContent } from "../../mail/compose-mail.ts";
import { enqueueMail } from "../../mail/mail.jobs.ts";
import { byProgram } from "../../mail/mail-budget.ts";
import type { UserRow } from "../accounts/users/users.table.ts";

/** Mails a user about their plan, payment or exams, in the language of their last sign-in. */
export async function mailUser(
  deps: Pick<Deps, "config" | "jobs" | "mailSeal">,
  tx: Tx,
  { email, locale }: Pick<UserRow, "email" | "locale">,
  content: MailContent,
): Promise<void> {
  const { productName } = deps.config;
  await enqueueMail(deps, tx, composeMail(content, { to: email, locale, productName }), byProgram);
}
