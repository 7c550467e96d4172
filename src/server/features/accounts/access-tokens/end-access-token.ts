import { isUuid } from "../../../../shared/uuid.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import type { RequestOrigin } from "../../../http/request-origin.ts";
import type { Session } from "../../../http/session.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { accessTokenNotFound } from "./access-tokens.errors.ts";
import { deleteAccessToken } from "./access-tokens.repo.ts";

/**
 * Ends one of the caller's tokens at once.
 * @throws {AppError} `token.not_found`
 */
export async function endAccessToken(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { userId }: Session,
  id: string,
  origin: RequestOrigin,
): Promise<void> {
  if (!isUuid(id)) throw new AppError(accessTokenNotFound);
  await db.transaction(async (tx) => {
    const row = await deleteAccessToken(tx, { id, userId });
    if (!row) throw new AppError(accessTokenNotFound);
    const details = { tokenId: id, name: row.name };
    await recordAudit(tx, {
      at: clock.now(),
      action: "token.ended",
      actorId: userId,
      accountId: userId,
      details,
      ...origin,
    });
  });
}
