import type { Locale } from "../../../../shared/locale.ts";
import type { Deps } from "../../../deps.ts";
import { findFirstAdminEmail, findUserByEmail } from "./users.repo.ts";

/** The person who is told what is wrong with the installation: one address, with its owner's language. */
export async function findOperator({
  config,
  db,
}: Pick<Deps, "config" | "db">): Promise<{ to: string; locale: Locale } | undefined> {
  const to = config.adminEmail ?? (await findFirstAdminEmail(db)) ?? config.supportEmail;
  if (!to) return undefined;
  return { to, locale: (await findUserByEmail(db, to))?.locale ?? "pt-BR" };
}
