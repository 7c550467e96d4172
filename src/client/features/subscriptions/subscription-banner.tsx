import { Plural, Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { bannerFor } from "../../../shared/rules/subscription.ts";
import { CircleAlertIcon, ClockIcon } from "../../ui/entry-icons.tsx";
import { useServerNow } from "../../ui/hooks/use-now.ts";
import type { Icon } from "../../ui/icon.tsx";
import { TriangleAlertIcon } from "../../ui/icons.tsx";
import { SubscriptionLink } from "../plan/subscription-link.tsx";
import { useHis } from "../session/his-context.ts";
import { useMySubscription } from "../session/use-my-subscription.ts";

const TICK_MS = 60_000;

/** Shown above every view when the person's subscription ends soon or has ended. Admins never see it. */
export function SubscriptionBanner() {
  const now = useServerNow(TICK_MS);
  const { user } = useHis();
  const expiresAt = user.role === "admin" ? null : user.expiresAt;
  const { data, isPending, failureCount } = useMySubscription({ enabled: expiresAt !== null });
  if (expiresAt === null) return null;
  const banner = bannerFor(new Date(expiresAt), new Date(now));
  switch (banner?.kind) {
    case "expired":
      // A subscription that its owner cancelled did not run out, so nobody is asked to renew it.
      if (isPending && failureCount === 0) return null;
      return data?.cancelledAt ? <Cancelled /> : <Expired />;
    case "expiring":
      return <Expiring days={banner.days} />;
    case "reminder":
      return <Reminder days={banner.days} />;
    default:
      return null;
  }
}

function Cancelled() {
  return (
    <Banner
      icon={ClockIcon}
      title={<Trans id="banner.cancelled">Subscription cancelled</Trans>}
      link={<Trans id="subscription.seePlans">See plans</Trans>}
    >
      <Trans id="banner.cancelled.text">Choose a plan whenever you want to keep exams here again.</Trans>
    </Banner>
  );
}

function Expired() {
  return (
    <Banner
      tone="is-bad"
      icon={CircleAlertIcon}
      title={<Trans id="banner.expired">Subscription Expired</Trans>}
      link={<Trans id="banner.renew">Renew</Trans>}
    >
      <Trans id="banner.expired.text">
        Your subscription has expired. Renew now to continue using the system.
      </Trans>
    </Banner>
  );
}

function Expiring({ days }: { days: number }) {
  return (
    <Banner
      tone="is-warn"
      icon={TriangleAlertIcon}
      title={<Trans id="banner.expiring">Subscription Expiring</Trans>}
      link={<Trans id="banner.renew">Renew</Trans>}
    >
      <Plural
        id="banner.expiring.text"
        value={days}
        one="Your subscription expires in # day. Renew to avoid interruptions."
        other="Your subscription expires in # days. Renew to avoid interruptions."
      />
    </Banner>
  );
}

function Reminder({ days }: { days: number }) {
  return (
    <Banner
      icon={ClockIcon}
      title={<Trans id="banner.reminder">Renewal Reminder</Trans>}
      link={<Trans id="banner.details">View Details</Trans>}
    >
      <Trans id="banner.reminder.text">Your subscription expires in {days} days.</Trans>
    </Banner>
  );
}

interface BannerProps {
  tone?: "is-bad" | "is-warn";
  icon: Icon;
  title: ReactNode;
  /** Label of the link to the subscription. */
  link: ReactNode;
  children: ReactNode;
}

function Banner({ tone, icon: BannerIcon, title, link, children }: BannerProps) {
  return (
    <div className={tone ? `banner ${tone}` : "banner"} role={tone === "is-bad" ? "alert" : "status"}>
      <BannerIcon />
      <p>
        <b>{title}</b> {children}
      </p>
      <SubscriptionLink className="btn is-small">{link}</SubscriptionLink>
    </div>
  );
}
