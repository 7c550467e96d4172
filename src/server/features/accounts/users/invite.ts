import type { Locale } from "../../../../shared/locale.ts";
import { DAY_MS } from "../../../../shared/units.ts";
import type { Tx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { composeMail } from "../../../mail/compose-mail.ts";
import type { Mail } from "../../../mail/mailer.ts";
import { invitationMail } from "../mailed-links/auth-mails.ts";
import { makePasswordLink } from "../passwords/reset-password.ts";
import type { UserRow } from "./users.table.ts";

const INVITATION_MS = 7 * DAY_MS;

/** Creates the link on which a user chooses their first password, and the mail that carries it. */
export async function invite(
  deps: Pick<Deps, "clock" | "config">,
  tx: Tx,
  { id, name, email }: Pick<UserRow, "id" | "name" | "email">,
  locale: Locale,
): Promise<{ mail: Mail; url: string }> {
  const expiresAt = new Date(deps.clock.now().getTime() + INVITATION_MS);
  const url = await makePasswordLink(deps, tx, { userId: id, purpose: "invitation", expiresAt });
  const { productName } = deps.config;
  return { mail: composeMail(invitationMail(url, name), { to: email, locale, productName }), url };
}
