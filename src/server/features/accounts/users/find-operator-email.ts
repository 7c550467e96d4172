import type { DbOrTx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { findFirstAdminEmail } from "./users.repo.ts";

/** The address for users who need help from a person; `undefined` if there is no admin. */
export async function findOperatorEmail(
  { config }: Pick<Deps, "config">,
  db: DbOrTx,
): Promise<string | undefined> {
  return config.supportEmail ?? config.adminEmail ?? (await findFirstAdminEmail(db));
}
