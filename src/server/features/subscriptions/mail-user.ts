import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { composeMail, type MailContent } from "../../mail/compose-mail.ts";
import { enqueueMail } from "../../mail/mail.jobs.ts";
import type { UserRow } from "../users/users.table.ts";

/** Mails somebody in the language of his last sign-in. */
export async function mailUser(
  deps: Pick<Deps, "config" | "jobs" | "mailSeal">,
  tx: Tx,
  { email, locale }: Pick<UserRow, "email" | "locale">,
  content: MailContent,
): Promise<void> {
  const { productName } = deps.config;
  await enqueueMail(deps, tx, composeMail(content, { to: email, locale, productName }));
}
