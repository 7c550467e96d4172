import type { Deps } from "../../deps.ts";
import { listAccessTokens } from "../accounts/access-tokens/access-tokens.repo.ts";
import { presentAccessToken } from "../accounts/access-tokens/make-access-token.ts";
import { listFormerAddresses } from "../accounts/addresses/email-stops.repo.ts";
import { readFactors } from "../accounts/factors/present-factors.ts";
import { listInvitationsBy } from "../accounts/mailed-links/doctor-invitations.repo.ts";
import { listLinks } from "../accounts/mailed-links/mailed-links.repo.ts";
import { listSessions } from "../accounts/sessions/sessions.repo.ts";
import { listPlaces } from "../accounts/sign-in/known-places.repo.ts";
import { listTrustedDevices } from "../accounts/sign-in/trusted-devices.repo.ts";
import { presentUser } from "../accounts/users/present-user.ts";
import { findUser } from "../accounts/users/users.repo.ts";
import { readRequests } from "../deliveries/read-requests.ts";
import { presentResumable } from "../ingest/resumable/present-resumable.ts";
import { listResumablesOf } from "../ingest/resumable/resumable-uploads.repo.ts";
import { describeLinks } from "../links/describe-links.ts";
import { listMailChoices, listNotificationsOf } from "../notifications/notifications.repo.ts";
import { listDevolucoesOf } from "../payments/devolucoes.repo.ts";
import { listPaymentsOf } from "../payments/payments.repo.ts";
import { presentPayment } from "../payments/present-payment.ts";
import { listReceivers } from "../receivers/receivers.repo.ts";
import { listGrantsTo } from "../studies/studies.repo.ts";
import { findSubscription } from "../subscriptions/subscriptions.repo.ts";
import { listUsageEvents, type UsageEventRow } from "../subscriptions/usage-events.repo.ts";

/** The most rows of a list in one file. */
export const MAX_ROWS = 10_000;

/** The account's data in the database except its exams, audit and messages; without secrets. */
export async function describeAccount(
  deps: Pick<Deps, "db" | "clock" | "config">,
  userId: string,
): Promise<object> {
  const { db, clock } = deps;
  const now = clock.now();
  const [user, subscription, payments, usage, factors] = await Promise.all([
    findUser(db, userId),
    findSubscription(db, userId),
    listPaymentsOf(db, userId, MAX_ROWS),
    listUsageEvents(db, userId, MAX_ROWS),
    readFactors(deps, userId),
  ]);
  const paymentIds = payments.map(({ id }) => id);
  const returned = await listDevolucoesOf(db, paymentIds);
  return {
    exportedAt: now,
    user: user && { ...presentUser(user, subscription?.expiresAt ?? null), locale: user.locale },
    subscription,
    payments: payments.map((payment) => {
      const presented = presentPayment(payment, now, returned.get(payment.id));
      const { pixQrcode: _, pixCopyPaste: __, ...details } = presented;
      return { ...details, txid: payment.txid, endToEndId: payment.endToEndId };
    }),
    secondFactors: {
      passkeys: factors.passkeys,
      authenticatorApp: factors.totp,
      recoveryCodesLeft: factors.recoveryCodesLeft,
    },
    sessions: await listSessions(db, userId),
    accessTokens: (await listAccessTokens(db, userId)).map(presentAccessToken),
    receivers: await listReceivers(db, userId),
    rememberedDevices: await listTrustedDevices(db, userId),
    signedInFrom: await listPlaces(db, userId),
    mailedLinks: await listLinks(db, userId),
    sharedLinks: await describeLinks(deps, userId),
    requestsForExams: await readRequests(deps, userId),
    openInvitations: await listInvitationsBy(db, userId),
    formerAddresses: await listFormerAddresses(db, userId),
    uploads: (await listResumablesOf(db, userId, MAX_ROWS)).map((upload) => ({
      ...presentResumable(upload, user?.locale ?? "pt-BR"),
      form: upload.form,
      receivedFrom: upload.receivedFrom,
      address: upload.address,
    })),
    sharedWithYou: await listGrantsTo(db, userId),
    notifications: (await listNotificationsOf(db, userId)).map(({ userId: _, actorId: __, ...told }) => told),
    mailsAboutEvents: await listMailChoices(db, userId),
    usage: usage.map(describeUsage),
  };
}

/** An activity of the account that is described. */
export function describeUsage({ userId: _, ...event }: UsageEventRow): object {
  return event;
}
