import type * as z from "zod/mini";
import {
  type CreatedRequest,
  DEFAULT_REQUEST_DAYS,
  MAX_REQUEST_DAYS,
  type newRequestSchema,
} from "../../../shared/api/deliveries.ts";
import type { Locale } from "../../../shared/locale.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { unauthenticated } from "../../http/http.errors.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { drawQrCode } from "../../render/qr-code.ts";
import { hashSecret, newSecret } from "../accounts/mailed-links/secrets.ts";
import { lockUser } from "../accounts/users/users.repo.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { endAhead } from "../links/end-ahead.ts";
import { shortName } from "../links/short-name.ts";
import type { Caller } from "../studies/studies.repo.ts";
import { tooManyRequestsOpen } from "./deliveries.errors.ts";
import { countLiveRequests, deleteOldestRequests, insertRequest } from "./requests.repo.ts";

/** Requests of one account that are open, and requests that are over and still listed. */
const MAX_LIVE = 100;
const MAX_OVER = 500;

/**
 * Makes a request for exams into the caller's account. Only this answer holds its secret.
 * @throws {AppError} `request.too_many`, 400 for an end that is past or too far ahead
 */
export async function createRequest(
  deps: Pick<Deps, "db" | "clock" | "config">,
  caller: Caller,
  input: z.output<typeof newRequestSchema> & { locale: Locale },
  origin: RequestOrigin,
): Promise<CreatedRequest> {
  const now = deps.clock.now();
  const { label, uses } = input;
  const limits = { defaultDays: DEFAULT_REQUEST_DAYS, maxDays: MAX_REQUEST_DAYS };
  const expiresAt = endAhead(input, now, limits);
  const id = Bun.randomUUIDv7();
  const secret = newSecret();
  const shownName = await deps.db.transaction(async (tx) => {
    // So that requests made at once are counted one after the other.
    const owner = await lockUser(tx, caller.userId);
    if (!owner) throw new AppError(unauthenticated);
    if ((await countLiveRequests(tx, owner.id, now)) >= MAX_LIVE) throw new AppError(tooManyRequestsOpen);
    await deleteOldestRequests(tx, owner.id, now, MAX_OVER);
    const shownName = input.shownName || shortName(owner.name);
    await insertRequest(tx, {
      id,
      accountId: owner.id,
      secretHash: hashSecret(secret),
      label,
      shownName,
      uses,
      createdAt: now,
      expiresAt,
    });
    await recordAudit(tx, {
      at: now,
      action: "request.created",
      actorId: owner.id,
      accountId: owner.id,
      details: { requestId: id },
      ...origin,
    });
    return shownName;
  });
  const url = `${deps.config.publicUrl}/r/${id}#${secret}`;
  const qrCode = drawQrCode(url);
  return { id, url, qrCode, label, shownName, expiresAt: expiresAt.toISOString() };
}
