import type { Locale } from "../../../../shared/locale.ts";
import type { Tx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { composeMail, type MailContent } from "../../../mail/compose-mail.ts";
import { mailWithinBudget } from "../../../mail/mail.jobs.ts";
import { byProgram, type MailCause } from "../../../mail/mail-budget.ts";
import { findOperator } from "./find-operator.ts";

/** Mails what the operator must know, in their language; nothing if there is nobody to tell, or if the cause has used up its mails. */
export async function mailOperator(
  deps: Pick<Deps, "jobs" | "mailSeal" | "config">,
  tx: Tx,
  contentIn: (locale: Locale) => MailContent,
  cause: MailCause = byProgram,
): Promise<void> {
  const operator = await findOperator(deps, tx);
  if (!operator) return;
  const { productName } = deps.config;
  await mailWithinBudget(
    deps,
    tx,
    composeMail(contentIn(operator.locale), { ...operator, productName }),
    cause,
  );
}
