import type { Locale } from "../../../shared/locale.ts";
import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { composeMail, type MailContent } from "../../mail/compose-mail.ts";
import { enqueueMail } from "../../mail/mail.jobs.ts";
import { byProgram } from "../../mail/mail-budget.ts";
import { findOperatorEmail } from "../accounts/users/find-operator-email.ts";
import { findUserByEmail } from "../accounts/users/users.repo.ts";

/** Mails what the operator must know of a payment, in their language; nothing if there is nobody to tell. */
export async function mailOperator(
  deps: Pick<Deps, "jobs" | "mailSeal" | "config">,
  tx: Tx,
  contentIn: (locale: Locale) => MailContent,
): Promise<void> {
  const to = await findOperatorEmail(deps, tx);
  if (!to) return;
  const locale = (await findUserByEmail(tx, to))?.locale ?? "pt-BR";
  const { productName } = deps.config;
  await enqueueMail(deps, tx, composeMail(contentIn(locale), { to, locale, productName }), byProgram);
}
