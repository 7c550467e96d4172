import type { Locale } from "../../../../shared/locale.ts";
import type { DbOrTx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { findFirstAdminEmail, findUserByEmail } from "./users.repo.ts";

/**
 * The address of the person who runs the installation, for users who need help and for what the program has to tell; `undefined` if there
 * is no admin. SUPPORT_EMAIL comes first: it is set for mails alone, while ADMIN_EMAIL names the account of the first start, which may
 * have another address or be gone since.
 */
export async function findOperatorEmail(
  { config }: Pick<Deps, "config">,
  db: DbOrTx,
): Promise<string | undefined> {
  return config.supportEmail ?? config.adminEmail ?? (await findFirstAdminEmail(db));
}

/** The address that {@link findOperatorEmail} finds, and the language of the account that has it. */
export async function findOperator(
  deps: Pick<Deps, "config">,
  db: DbOrTx,
): Promise<{ to: string; locale: Locale } | undefined> {
  const to = await findOperatorEmail(deps, db);
  if (to === undefined) return undefined;
  return { to, locale: (await findUserByEmail(db, to))?.locale ?? "pt-BR" };
}
