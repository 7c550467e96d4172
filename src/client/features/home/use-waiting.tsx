import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import { type ReactNode, useState } from "react";
import type { Notification } from "../../../shared/api/notifications.ts";
import type { Payment, PaymentStatus } from "../../../shared/api/payments.ts";
import type { NotificationEvent } from "../../../shared/rules/notification-events.ts";
import { MINUTE_MS } from "../../../shared/units.ts";
import { useServerNow } from "../../ui/hooks/use-now.ts";
import { ReceiptIcon } from "../../ui/icons.tsx";
import { whenText } from "../../ui/text/when-text.ts";
import { WholeDates } from "../../ui/text/whole-dates.tsx";
import { EventOrigin, EventTitle, eventIcons } from "../notifications/event-text.tsx";
import { useNotifications } from "../notifications/use-notifications.ts";
import { useOpenNotification } from "../notifications/use-open-notification.ts";
import { moneyText } from "../payments/payment-text.ts";
import { shownPaymentAtom } from "../payments/shown-payment.ts";
import { usePayment } from "../payments/use-payments.ts";
import { planNameText } from "../plan/plan-name.ts";
import { useMySubscription } from "../session/use-my-subscription.ts";
import { HomeIcon } from "./home-panel.tsx";

/** Something that waits for the person, as a row. */
export interface WaitingItem {
  key: string;
  /** ISO 8601; the newest comes first. */
  at: string;
  lead: ReactNode;
  title: ReactNode;
  text: ReactNode;
  /** Undefined once nothing is left to do. */
  action?: { label: ReactNode; run: () => void } | undefined;
}

/** An open Pix as a row. It stays when the Pix is over, and says so. */
function useWaitingPix(): { item: WaitingItem | undefined; isLoading: boolean } {
  const { i18n } = useLingui();
  const subscription = useMySubscription({ enabled: true });
  const [knownId, setKnownId] = useState<string>();
  const openId = subscription.data?.openPaymentId ?? undefined;
  if (openId !== undefined && openId !== knownId) setKnownId(openId);
  const payment = usePayment(knownId ?? openId, { isConfirmed: false });
  const show = useSetAtom(shownPaymentAtom);
  const { data } = payment;
  const isLoading = subscription.isLoading || payment.isLoading;
  if (!data) return { item: undefined, isLoading };
  const amount = moneyText(i18n, data.amount);
  const isOpen = data.status === "pending";
  const item: WaitingItem = {
    key: `payment ${data.id}`,
    at: data.createdAt,
    lead: <HomeIcon icon={ReceiptIcon} tone={data.status === "paid" ? "ok" : "warn"} />,
    title: <PixTitle status={data.status} amount={amount} />,
    text: <PixLine payment={data} />,
    action: isOpen ? { label: <Trans id="home.pix.pay">Pay</Trans>, run: () => show(data.id) } : undefined,
  };
  return { item, isLoading };
}

function PixTitle({ status, amount }: { status: PaymentStatus; amount: string }) {
  switch (status) {
    case "paid":
      return <Trans id="home.pix.paid">Pix of {amount} confirmed</Trans>;
    case "expired":
      return <Trans id="home.pix.over">Pix of {amount} expired</Trans>;
    case "failed":
      return <Trans id="home.pix.failed">Pix of {amount} failed</Trans>;
    case "refunded":
      return <Trans id="home.pix.refunded">Pix of {amount} refunded</Trans>;
    default:
      return <Trans id="home.pix.waiting">Pix of {amount} pending</Trans>;
  }
}

function PixLine({ payment }: { payment: Payment }) {
  const { i18n } = useLingui();
  const now = useServerNow(MINUTE_MS);
  const planName = planNameText(i18n, payment.planName);
  const minutes = Math.ceil((Date.parse(payment.expiresAt) - now) / MINUTE_MS);
  if (payment.status !== "pending") return <Trans id="planStrip.plan">{planName} plan</Trans>;
  return (
    <>
      <Trans id="planStrip.plan">{planName} plan</Trans>
      {" · "}
      {minutes > 0 ? (
        <Plural
          id="home.pix.expiresIn"
          value={minutes}
          one="the code expires in # min"
          other="the code expires in # min"
        />
      ) : (
        <Trans id="home.pix.expired">the code has expired</Trans>
      )}
    </>
  );
}

/** The events that wait for somebody to look, and what they then do; the others are only told. */
const waitingEvents: Partial<Record<NotificationEvent, ReactNode>> = {
  "report.attached": <Trans id="home.readReport">Read report</Trans>,
  "delivery.received": <Trans id="request.view">View</Trans>,
};

function useWaitingEvents() {
  const open = useOpenNotification();
  const query = useNotifications();
  const items = query.data
    ?.filter(({ event, readAt }) => readAt === null && waitingEvents[event] !== undefined)
    .map((told): WaitingItem => {
      return {
        key: `notification ${told.id}`,
        at: told.at,
        lead: <HomeIcon icon={eventIcons[told.event]} tone="accent" />,
        title: <EventTitle told={told} />,
        text: <EventLine told={told} />,
        action: { label: waitingEvents[told.event], run: () => open(told) },
      };
    });
  return { items, query };
}

function EventLine({ told }: { told: Notification }) {
  const { i18n } = useLingui();
  return (
    <>
      <EventOrigin told={told} /> · <WholeDates>{whenText(i18n, told.at)}</WholeDates>
    </>
  );
}

/** All that waits for the person, the newest first. */
export function useWaiting() {
  const pix = useWaitingPix();
  const { items, query } = useWaitingEvents();
  const all = items && [...items, ...(pix.item ? [pix.item] : [])];
  return {
    data: pix.isLoading ? undefined : all?.toSorted((one, other) => other.at.localeCompare(one.at)),
    error: query.error,
    errorUpdateCount: query.errorUpdateCount,
    isPlaceholderData: query.isPlaceholderData,
    isLoading: pix.isLoading || query.isLoading,
    refetch: query.refetch,
  };
}
