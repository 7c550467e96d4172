import type { OpenedRequest } from "../../../shared/api/deliveries.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { networkOf } from "../../http/network-of.ts";
import { hashSecret } from "../accounts/mailed-links/secrets.ts";
import { beginAttempt } from "../accounts/sign-in/throttle.ts";
import { requestNotFound } from "../ingest/resumable/delivery.errors.ts";
import type { RequestRow } from "./deliveries.table.ts";
import { isRequestOpen } from "./request-standing.ts";
import { findRequestBySecret, noteOpened } from "./requests.repo.ts";

const FAILURES_AN_ADDRESS = 100;
const WINDOW_SECONDS = 15 * 60;

/** The two parts of a request's address. */
export interface RequestAddress {
  request: string;
  secret: string;
}

/**
 * Finds the open request of an address. A failure is counted against the caller's network before it is known, so that guesses made
 * at once can't exceed the limit.
 * @throws {AppError} `request.not_found`, alike for every request that does not open; 429
 */
export async function findOpenRequest(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { request: id, secret }: RequestAddress,
  address: string,
): Promise<RequestRow> {
  const now = clock.now();
  const failures = {
    name: "request:address",
    subject: networkOf(address),
    limit: FAILURES_AN_ADDRESS,
    windowSeconds: WINDOW_SECONDS,
  };
  const attempt = await beginAttempt(db, [failures], now);
  const found = await findRequestBySecret(db, hashSecret(secret));
  if (!found || found.request.id !== id.toLowerCase() || !isRequestOpen(found, now))
    throw new AppError(requestNotFound);
  await attempt.succeed();
  return found.request;
}

/** What a request asks for, as the clinic's page says it. @throws {AppError} as {@link findOpenRequest} */
export async function openRequest(
  deps: Pick<Deps, "db" | "clock">,
  asked: RequestAddress,
  address: string,
): Promise<OpenedRequest> {
  const { id, label, shownName, expiresAt } = await findOpenRequest(deps, asked, address);
  await noteOpened(deps.db, id, deps.clock.now());
  return { label, shownName, expiresAt: expiresAt.toISOString() };
}
