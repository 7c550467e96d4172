import type { NewReceiver } from "../../../shared/api/receivers.ts";
import type { Locale } from "../../../shared/locale.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { unauthenticated, validationFailed } from "../../http/http.errors.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { isPeer } from "../../http/trusted-peers.ts";
import { violationsOf } from "../../http/validate.ts";
import { lockUser } from "../accounts/users/users.repo.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { aeTitleTaken, tooManyReceivers } from "./receivers.errors.ts";
import { countReceivers, insertReceiver, takeUpTitle } from "./receivers.repo.ts";
import type { ReceiverRow } from "./receivers.table.ts";

const MAX_RECEIVERS = 20;

/**
 * Makes an AE title under which DICOM senders store into the caller's account.
 * @throws {AppError} 400 for addresses that are none, `receiver.too_many`, `receiver.title_taken` by another
 *   receiver, or by one of another account that ended within a year
 */
export async function makeReceiver(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { userId }: Session,
  { locale, aeTitle, ...wanted }: NewReceiver & { locale: Locale },
  origin: RequestOrigin,
): Promise<ReceiverRow> {
  const addresses = wanted.addresses ?? [];
  assertAddresses(addresses, locale);
  const callingAETitles = wanted.callingAETitles ?? [];
  const createdAt = clock.now();
  const row: ReceiverRow = {
    id: Bun.randomUUIDv7(),
    accountId: userId,
    aeTitle,
    callingAETitles,
    addresses,
    createdAt,
    instances: 0,
    receivedAt: null,
    receivedTitle: null,
    receivedAddress: null,
    refusals: 0,
    refusedAt: null,
    refusedTitle: null,
    refusedAddress: null,
  };
  await db.transaction(async (tx) => {
    if (!(await lockUser(tx, userId))) throw new AppError(unauthenticated);
    if ((await countReceivers(tx, userId)) >= MAX_RECEIVERS) throw new AppError(tooManyReceivers);
    if (!(await insertReceiver(tx, row)) || !(await takeUpTitle(tx, row))) throw new AppError(aeTitleTaken);
    const details = { receiverId: row.id, aeTitle, callingAETitles, addresses };
    await recordAudit(tx, {
      at: createdAt,
      action: "receiver.made",
      actorId: userId,
      accountId: userId,
      details,
      ...origin,
    });
  });
  return row;
}

function assertAddresses(addresses: readonly string[], locale: Locale): void {
  const issues = addresses.flatMap((address, index) =>
    isPeer(address) ? [] : [{ path: ["addresses", index], message: "validation.invalid" }],
  );
  if (issues.length > 0)
    throw new AppError(validationFailed, { violations: violationsOf({ issues }, locale) });
}
