import type { I18n, MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { Notification } from "../../../shared/api/notifications.ts";
import type { NotificationEvent } from "../../../shared/rules/notification-events.ts";
import type { Icon } from "../../ui/icon.tsx";
import {
  BadgeCheckIcon,
  FileTextIcon,
  InboxIcon,
  LayersIcon,
  LinkIcon,
  ReceiptIcon,
  TriangleAlertIcon,
  UnlinkIcon,
  UserPlusIcon,
} from "../../ui/icons.tsx";
import { dayText } from "../../ui/text/moment-text.ts";
import { moneyText } from "../payments/payment-text.ts";
import { planNameText } from "../plan/plan-name.ts";
import { descriptionText } from "../studies/study-text.ts";

/** What an event is called where the person chooses its mails. */
const names: Record<NotificationEvent, MessageDescriptor> = {
  "study.shared": msg({ id: "event.shared.name", message: "An exam is shared with me" }),
  "report.attached": msg({ id: "event.report.name", message: "An exam of mine has a report" }),
  "delivery.received": msg({ id: "event.delivery.name", message: "A clinic delivered an exam" }),
  "link.opened": msg({ id: "event.link.name", message: "Somebody opened a link of mine" }),
  "link.blocked": msg({ id: "event.blocked.name", message: "Wrong passcodes ended a link of mine" }),
  "payment.confirmed": msg({ id: "event.paid.name", message: "My Pix was confirmed" }),
  "payment.waiting": msg({ id: "event.pix.name", message: "A Pix waits for confirmation" }),
  "account.waiting": msg({ id: "event.account.name", message: "An account waits for authorization" }),
  "transfer.failed": msg({ id: "event.transfer.name", message: "An exam did not reach the store" }),
  "plan.ending": msg({ id: "event.plan.name", message: "My plan is about to end" }),
  "invitation.accepted": msg({ id: "event.invitation.name", message: "An invitation of mine was accepted" }),
};

export function eventName(i18n: I18n, event: NotificationEvent): string {
  return i18n._(names[event]);
}

export const eventIcons: Record<NotificationEvent, Icon> = {
  "study.shared": LayersIcon,
  "report.attached": FileTextIcon,
  "delivery.received": InboxIcon,
  "link.opened": LinkIcon,
  "link.blocked": UnlinkIcon,
  "payment.confirmed": BadgeCheckIcon,
  "payment.waiting": ReceiptIcon,
  "account.waiting": UserPlusIcon,
  "transfer.failed": TriangleAlertIcon,
  "plan.ending": BadgeCheckIcon,
  "invitation.accepted": UserPlusIcon,
};

/** What happened, in one line. */
export function EventTitle({ told }: { told: Notification }) {
  const { i18n } = useLingui();
  const exam = told.study ? descriptionText(i18n, told.study) : "";
  const amount = told.details.amount === undefined ? "" : moneyText(i18n, told.details.amount);
  const plan = told.details.planName === undefined ? "" : planNameText(i18n, told.details.planName);
  const others = (told.details.exams ?? 1) - 1;
  switch (told.event) {
    case "study.shared":
      return <Trans id="event.shared">Shared with you: {exam}</Trans>;
    case "report.attached":
      return <Trans id="event.report">New report: {exam}</Trans>;
    case "delivery.received":
      return others === 0 ? (
        <Trans id="event.delivery">Delivered to you: {exam}</Trans>
      ) : (
        <Trans id="event.deliveries">
          Delivered to you: {exam} and <Plural value={others} one="# more exam" other="# more exams" />
        </Trans>
      );
    case "link.opened":
      return <Trans id="event.link">Link opened: {exam}</Trans>;
    case "link.blocked":
      return <Trans id="event.blocked">Link ended by wrong passcodes: {exam}</Trans>;
    case "payment.confirmed":
      return <Trans id="home.pix.paid">Pix of {amount} confirmed</Trans>;
    case "payment.waiting":
      return <Trans id="event.pix">Pix of {amount} to confirm</Trans>;
    case "account.waiting":
      return <Trans id="event.account">New account to authorize</Trans>;
    case "transfer.failed":
      return <Trans id="event.transfer">Not in the archive store: {exam}</Trans>;
    case "plan.ending":
      return <Trans id="event.plan">Your {plan} plan is about to end</Trans>;
    case "invitation.accepted":
      return <Trans id="event.invitation">Invitation accepted: {exam}</Trans>;
  }
}

/** Who did it, or until when. */
export function EventOrigin({ told: { actorName, details } }: { told: Notification }) {
  const { i18n } = useLingui();
  if (details.expiresAt !== undefined) {
    const day = dayText(details.expiresAt);
    return <Trans id="planStrip.until">Active until {day}</Trans>;
  }
  if (details.from !== undefined) return details.from;
  if (actorName !== null) return actorName;
  return details.planName === undefined ? null : planNameText(i18n, details.planName);
}
