import type { DbOrTx } from "../../../db/client.ts";
import type { Deps } from "../../../deps.ts";
import { findFirstAdminEmail } from "./users.repo.ts";

/** Where somebody who needs a person writes to; `undefined` where there is no admin at all. */
export async function findOperatorEmail(
  { config }: Pick<Deps, "config">,
  db: DbOrTx,
): Promise<string | undefined> {
  return config.supportEmail ?? config.adminEmail ?? (await findFirstAdminEmail(db));
}
