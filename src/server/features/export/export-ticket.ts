import { setTimeout } from "node:timers/promises";
import type { ExportTicket } from "../../../shared/api/users.ts";
import { assertTakesChanges } from "../../db/client.ts";
import { isDatabaseUnavailable } from "../../db/database.errors.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { unauthenticated } from "../../http/http.errors.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import type { HeldWhileSent } from "../../http/stream-of.ts";
import { dayInBrazil } from "../../runtime/brazil-time.ts";
import { describeError } from "../../runtime/log.ts";
import { beginAttempt, forgiveAttempt, type ThrottleRule } from "../accounts/sign-in/throttle.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import type { Places } from "../dicomweb/turns/places.ts";
import { findLiveSession } from "../membership/find-session.ts";
import { countInstancesOf } from "../studies/studies.repo.ts";
import { exportTooLarge } from "./export.errors.ts";

const LIFETIME_SECONDS = 5 * 60;
const PER_DAY = 5;
const FETCHES_PER_DAY = 10;
const BROKEN_PER_DAY = 20;
const DAY_SECONDS = 86_400;
/** An outage of the database may last for hours. */
const UNCOUNTED_AFTER_MS = [10, 60, 300, 1_800, 7_200, 14_400].map((seconds) => seconds * 1_000);

const ticketsOf = (subject: string): ThrottleRule => {
  return { name: "export:account", subject, limit: PER_DAY, windowSeconds: DAY_SECONDS };
};
const fetchesOf = (subject: string): ThrottleRule => {
  return { name: "export:fetch", subject, limit: FETCHES_PER_DAY, windowSeconds: DAY_SECONDS };
};
/** Bounds how often a broken export is uncounted: the account's own data may break it each time. */
const brokenOf = (subject: string): ThrottleRule => {
  return { name: "export:broken", subject, limit: BROKEN_PER_DAY, windowSeconds: DAY_SECONDS };
};
/** An export is uncounted once, also if the answer to that was lost. */
const uncountedOf = (exportId: string): ThrottleRule => {
  return { name: "export:uncounted", subject: exportId, limit: 1, windowSeconds: DAY_SECONDS };
};

/** Bounds the ZIP's directory, which is held in memory while it is made: some 100 MB. */
const MAX_INSTANCES = 1_000_000;

/**
 * Issues a URL with which the browser saves all of the caller's data, whatever the subscription. It does not count against
 * the month, but only a few are issued per day.
 * @throws {AppError} 429, `export.too_large`; 503 with Retry-After if too many exports are being sent
 * @throws as {@link assertSendable}
 */
export async function issueExportTicket(
  deps: Pick<Deps, "db" | "clock" | "tokens" | "store">,
  session: Session,
  places: Places,
  origin: RequestOrigin,
): Promise<ExportTicket> {
  const { db, clock, tokens } = deps;
  const { id: sid, userId } = session;
  const now = clock.now();
  places.assertTakeable(userId);
  if ((await countInstancesOf(db, userId)) > MAX_INSTANCES) throw new AppError(exportTooLarge);
  await assertSendable(deps);
  await beginAttempt(db, [ticketsOf(userId)], now);
  await recordAudit(db, {
    at: now,
    action: "account.exported",
    actorId: userId,
    accountId: userId,
    ...origin,
  });
  const token = await tokens.sign("export", { sid, sub: userId }, LIFETIME_SECONDS);
  return { url: `/api/exports/${token}`, fileName: exportFileName(now) };
}

/**
 * A browser that saves the file could not say why it breaks off. Receipts may be made for it, which the database has to keep.
 * @throws {StoreUnavailable | DatabaseUnavailable} or the database's own error while its disk is full
 */
async function assertSendable({ store, db }: Pick<Deps, "store" | "db">): Promise<void> {
  await store.check();
  await assertTakesChanges(db);
}

/** The name under which a browser saves an export of now. */
export function exportFileName(now: Date): string {
  return `exameteca_${dayInBrazil(now)}.zip`;
}

/** Returns the session of the account that the ticket exports, with which it ends. @throws {AppError} 401 */
export async function findExporter(
  deps: Pick<Deps, "db" | "clock" | "tokens">,
  token: string,
): Promise<Session> {
  const claims = await deps.tokens.verify("export", token);
  const session = claims && (await findLiveSession(deps, claims.sid, claims.sub));
  if (!session) throw new AppError(unauthenticated);
  return session;
}

/**
 * Returns the session of the account that the ticket exports, and a place for its export. A ticket works repeatedly, so that a broken
 * download can restart.
 * @throws {AppError} as {@link findExporter}; 429; 503 with Retry-After if too many exports are being sent, which is no fetch
 * @throws as {@link assertSendable}, which is no fetch either
 */
export async function redeemExportTicket(
  deps: Pick<Deps, "db" | "clock" | "tokens" | "store">,
  token: string,
  places: Places,
): Promise<{ session: Session; place: HeldWhileSent }> {
  const session = await findExporter(deps, token);
  const { userId } = session;
  const place = places.take(userId);
  try {
    await assertSendable(deps);
    await beginAttempt(deps.db, [fetchesOf(userId)], deps.clock.now());
  } catch (error) {
    place[Symbol.dispose]();
    throw error;
  }
  return { session, place };
}

type UncountDeps = Pick<Deps, "db" | "clock" | "log">;

/**
 * Passes the export on. An export that a fault of the server breaks off counts neither as a fetch nor as a ticket, so that it can be begun
 * again, up to {@link BROKEN_PER_DAY} times a day. While the database is away, uncounting is tried again after each of `pausesMs`.
 */
export async function* uncountedIfBroken(
  deps: UncountDeps,
  userId: string,
  pieces: AsyncIterable<Uint8Array>,
  pausesMs: readonly number[] = UNCOUNTED_AFTER_MS,
): AsyncGenerator<Uint8Array> {
  const broken = { exportId: Bun.randomUUIDv7(), userId };
  try {
    yield* pieces;
  } catch (error) {
    if (!(await uncount(deps, broken))) void uncountLater(deps, broken, pausesMs);
    throw error;
  }
}

interface BrokenExport {
  exportId: string;
  userId: string;
}

async function uncountLater(
  deps: UncountDeps,
  broken: BrokenExport,
  pausesMs: readonly number[],
): Promise<void> {
  for (const pauseMs of pausesMs) {
    await setTimeout(pauseMs, undefined, { ref: false });
    if (await uncount(deps, broken)) return;
  }
}

/** Returns `false` if the database is away. Never throws. */
async function uncount({ db, clock, log }: UncountDeps, broken: BrokenExport): Promise<boolean> {
  const { exportId, userId } = broken;
  try {
    await db.transaction(async (tx) => {
      await beginAttempt(tx, [uncountedOf(exportId), brokenOf(userId)], clock.now());
      await forgiveAttempt(tx, [ticketsOf(userId), fetchesOf(userId)]);
    });
    return true;
  } catch (failure) {
    log.warn("export.counted", describeError(failure));
    return !isDatabaseUnavailable(failure);
  }
}
