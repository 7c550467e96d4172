import { Trans } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import type { ReactNode } from "react";
import type { Subscription } from "../../../shared/api/subscriptions.ts";
import { Button } from "../../ui/button.tsx";
import { ClockIcon } from "../../ui/entry-icons.tsx";
import type { Icon } from "../../ui/icon.tsx";
import { LifeBuoyIcon, TriangleAlertIcon } from "../../ui/icons.tsx";
import { momentText } from "../../ui/text/moment-text.ts";
import { shownPaymentAtom } from "../payments/shown-payment.ts";
import { viewAtom } from "../places/views.ts";
import { maySubscribe, useHis } from "../session/his-context.ts";

/** Notices about the subscription that the person should read or act on first. */
export function SubscriptionNotices({ subscription }: { subscription: Subscription | null }) {
  const mayChoose = maySubscribe(useHis().user);
  return (
    <div className="subscription-notices">
      {!subscription && mayChoose && <NoSubscription />}
      {!mayChoose && <GivenByAdmin />}
      {subscription?.openPaymentId && <PendingPayment paymentId={subscription.openPaymentId} />}
      {subscription?.removedUntil && <Removed until={subscription.removedUntil} />}
      {subscription?.keptUntil && <Kept until={subscription.keptUntil} />}
    </div>
  );
}

function NoSubscription() {
  return (
    <Notice
      icon={TriangleAlertIcon}
      tone="is-warn"
      title={<Trans id="subscription.none">You have no subscription</Trans>}
    >
      <Trans id="subscription.none.text">Choose a plan to upload, see and keep exams.</Trans>
    </Notice>
  );
}

function GivenByAdmin() {
  const setView = useSetAtom(viewAtom);
  return (
    <Notice
      icon={LifeBuoyIcon}
      title={<Trans id="subscription.given">Your subscription is given by an administrator</Trans>}
      action={
        <Button size="small" onClick={() => setView("support")}>
          <Trans id="menu.support">Support</Trans>
        </Button>
      }
    >
      <Trans id="subscription.given.text">To extend or change it, write to support.</Trans>
    </Notice>
  );
}

function PendingPayment({ paymentId }: { paymentId: string }) {
  const show = useSetAtom(shownPaymentAtom);
  return (
    <Notice
      icon={ClockIcon}
      tone="is-warn"
      title={<Trans id="subscription.pending">Payment pending</Trans>}
      action={
        <Button kind="lit" onClick={() => show(paymentId)}>
          <Trans id="subscription.continue">Continue paying</Trans>
        </Button>
      }
    >
      <Trans id="subscription.pending.text">
        A Pix is waiting to be paid. The plan starts as soon as the payment comes in.
      </Trans>
    </Notice>
  );
}

function Removed({ until }: { until: string }) {
  const setView = useSetAtom(viewAtom);
  const moment = momentText(until);
  return (
    <Notice
      icon={TriangleAlertIcon}
      tone="is-bad"
      title={<Trans id="subscription.removed">Your exams were deleted</Trans>}
      action={
        <Button size="small" onClick={() => setView("support")}>
          <Trans id="subscription.askSupport">Write to support</Trans>
        </Button>
      }
    >
      <Trans id="subscription.removed.text">
        Until <span className="whitespace-nowrap">{moment}</span> an administrator can still bring them back.
        After that they are gone for good.
      </Trans>
    </Notice>
  );
}

/** Says that the exams of a subscription that is over are there, and until when it can be renewed. */
export function Kept({ until }: { until: string }) {
  const moment = momentText(until);
  return (
    <Notice
      icon={ClockIcon}
      tone="is-warn"
      title={<Trans id="subscription.kept">Your exams are still kept</Trans>}
    >
      <Trans id="subscription.kept.text">
        Renew before <span className="whitespace-nowrap">{moment}</span> to see them again. After that they
        are deleted.
      </Trans>
    </Notice>
  );
}

interface NoticeProps {
  icon: Icon;
  tone?: string;
  title: ReactNode;
  children: ReactNode;
  action?: ReactNode;
}

function Notice({ icon: NoticeIcon, tone = "", title, children, action }: NoticeProps) {
  return (
    <section className={`banner ${tone}`}>
      <NoticeIcon />
      <p>
        <b>{title}</b> {children}
      </p>
      {action}
    </section>
  );
}
