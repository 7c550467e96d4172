import { isUuid } from "../../../shared/uuid.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { receiverNotFound } from "./receivers.errors.ts";
import { deleteReceiver } from "./receivers.repo.ts";

/**
 * Ends a receiver. An open association stores nothing more; what it acknowledged is kept.
 * @throws {AppError} `receiver.not_found`
 */
export async function endReceiver(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { userId }: Session,
  id: string,
  origin: RequestOrigin,
): Promise<void> {
  if (!isUuid(id)) throw new AppError(receiverNotFound);
  await db.transaction(async (tx) => {
    const row = await deleteReceiver(tx, { id, accountId: userId });
    if (!row) throw new AppError(receiverNotFound);
    const details = { receiverId: id, aeTitle: row.aeTitle };
    await recordAudit(tx, {
      at: clock.now(),
      action: "receiver.ended",
      actorId: userId,
      accountId: userId,
      details,
      ...origin,
    });
  });
}
