import type { Passkey } from "../../../../shared/api/factors.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import type { Session } from "../../../http/session.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import type { Visitor } from "../sign-in/visitor.ts";
import { passkeyNotFound } from "./factors.errors.ts";
import { renamePasskey as renameRow } from "./factors.repo.ts";
import { presentPasskey } from "./present-factors.ts";

/**
 * Renames a passkey. Only the owner sees the name, so no proof is needed.
 * @throws {AppError} `passkey.not_found`
 */
export async function renamePasskey(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { userId }: Session,
  { id, name }: { id: string; name: string },
  origin: Visitor,
): Promise<Passkey> {
  return await db.transaction(async (tx) => {
    const row = await renameRow(tx, { id, userId, name });
    if (!row) throw new AppError(passkeyNotFound);
    const details = { factor: "passkey" };
    const at = clock.now();
    await recordAudit(tx, {
      at,
      action: "factor.renamed",
      actorId: userId,
      accountId: userId,
      details,
      ...origin,
    });
    return presentPasskey(row);
  });
}
