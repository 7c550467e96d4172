import { DELIVERY_TOKEN_PREFIX } from "../../../shared/api/deliveries.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { tooManyRequests } from "../../http/http.errors.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { hashSecret, newSecret } from "../accounts/mailed-links/secrets.ts";
import { beginAttempt } from "../accounts/sign-in/throttle.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { requestNotFound } from "../ingest/resumable/delivery.errors.ts";
import { dropIdleDeliveries, insertDelivery } from "./deliveries.repo.ts";
import { findOpenRequest, type RequestAddress } from "./open-request.ts";
import { isRequestOpen } from "./request-standing.ts";
import { lockRequest } from "./requests.repo.ts";

/** Deliveries of one request that sent something and did not end, and such that only began. */
const MAX_DELIVERIES = 60;
const MAX_IDLE = 20;
const RETRY_AFTER_SECONDS = 600;
/** Deliveries that one request begins in an hour: each is a row of the owner's audit, whether or not it sends anything. */
const MAX_BEGUN = 100;
const BEGUN_WINDOW_SECONDS = 3600;

/**
 * Begins a delivery. Its token sends uploads and does nothing else. It counts as a use of the request once its first study is stored.
 * @throws {AppError} `request.not_found`, alike for every request that does not open; 429
 */
export async function beginDelivery(
  deps: Pick<Deps, "db" | "clock">,
  { from, ...asked }: RequestAddress & { from: string },
  origin: RequestOrigin,
): Promise<{ token: string }> {
  const { id: requestId, accountId } = await findOpenRequest(deps, asked, origin.address);
  const now = deps.clock.now();
  const begun = { name: "request:begun", subject: requestId, limit: MAX_BEGUN };
  await beginAttempt(deps.db, [{ ...begun, windowSeconds: BEGUN_WINDOW_SECONDS }], now);
  const id = Bun.randomUUIDv7();
  const token = `${DELIVERY_TOKEN_PREFIX}${newSecret()}`;
  await deps.db.transaction(async (tx) => {
    const found = await lockRequest(tx, requestId);
    if (!found || !isRequestOpen(found, now)) throw new AppError(requestNotFound);
    if ((await dropIdleDeliveries(tx, requestId, MAX_IDLE - 1)) >= MAX_DELIVERIES)
      throw new AppError(tooManyRequests, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    await insertDelivery(tx, {
      id,
      requestId,
      tokenHash: hashSecret(token),
      sender: from,
      createdAt: now,
    });
    const details = { requestId, deliveryId: id };
    await recordAudit(tx, {
      at: now,
      action: "delivery.begun",
      actorId: null,
      accountId,
      details,
      ...origin,
    });
  });
  return { token };
}
