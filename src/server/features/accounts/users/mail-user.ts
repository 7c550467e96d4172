import type { Tx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { composeMail, type MailContent } from "../../../mail/compose-mail.ts";
import { enqueueMail } from "../../../mail/mail.jobs.ts";
import { byProgram, type MailCause } from "../../../mail/mail-budget.ts";
import type { UserRow } from "./users.table.ts";

/**
 * Mails a user in the language of their last sign-in, even if somebody else caused the mail.
 * @throws {AppError} 429 if the cause has used up its mails
 */
export async function mailUser(
  deps: Pick<Deps, "jobs" | "mailSeal" | "config">,
  tx: Tx,
  { email: to, locale }: Pick<UserRow, "email" | "locale">,
  content: MailContent,
  cause: MailCause = byProgram,
): Promise<void> {
  const { productName } = deps.config;
  await enqueueMail(deps, tx, composeMail(content, { to, locale, productName }), cause);
}
