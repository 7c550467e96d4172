import { isUuid } from "../../../shared/uuid.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { endDeliveredUploads } from "../ingest/resumable/delivered-uploads.repo.ts";
import { requestNotFound } from "../ingest/resumable/delivery.errors.ts";
import { owns } from "../studies/access/study-access.ts";
import type { Caller } from "../studies/studies.repo.ts";
import { lockSubscription } from "../subscriptions/subscriptions.repo.ts";
import { listDeliveriesOf } from "./deliveries.repo.ts";
import { endRequestRow, findRequest } from "./requests.repo.ts";

const MAX_DELIVERIES = 1_000;

/**
 * Ends a request, by its owner or an admin, and all that is on its way to it. What was stored stays. Idempotent.
 * @throws {AppError} `request.not_found`, also for another account's request
 */
export async function endRequest(
  deps: Pick<Deps, "db" | "clock">,
  caller: Caller,
  id: string,
  origin: RequestOrigin,
): Promise<void> {
  const request = isUuid(id) ? await findRequest(deps.db, id) : undefined;
  if (!request || !owns(caller, request)) throw new AppError(requestNotFound);
  const { accountId } = request;
  const at = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    // Uploads that commit lock it first, too.
    await lockSubscription(tx, accountId);
    if (!(await endRequestRow(tx, id, at))) return;
    const deliveries = await listDeliveriesOf(tx, [id], MAX_DELIVERIES);
    await endDeliveredUploads(
      tx,
      deliveries.map((delivery) => delivery.id),
      at,
    );
    const details = { requestId: id };
    await recordAudit(tx, {
      at,
      action: "request.ended",
      actorId: caller.userId,
      accountId,
      details,
      ...origin,
    });
  });
}
