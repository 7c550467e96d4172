import { Plural, Trans } from "@lingui/react/macro";
import { bannerFor } from "../../../shared/rules/subscription.ts";
import { CircleAlertIcon, ClockIcon, TriangleAlertIcon } from "../../ui/icons.tsx";
import { useServerNow } from "../../ui/use-now.ts";
import { useHis } from "../his/his-context.ts";
import { SubscriptionLink } from "./subscription-link.tsx";

const TICK_MS = 60_000;

/** Above every view when the person's subscription ends soon or has ended; admins never see it. */
export function SubscriptionBanner() {
  const now = useServerNow(TICK_MS);
  const { user } = useHis();
  if (user.role === "admin" || user.expiresAt === null) return null;
  const banner = bannerFor(new Date(user.expiresAt), new Date(now));
  switch (banner?.kind) {
    case "expired":
      return <Expired />;
    case "expiring":
      return <Expiring days={banner.days} />;
    case "reminder":
      return <Reminder days={banner.days} />;
    default:
      return null;
  }
}

function Expired() {
  return (
    <div className="banner is-bad" role="alert">
      <CircleAlertIcon />
      <p>
        <b>
          <Trans id="banner.expired">Subscription Expired</Trans>
        </b>{" "}
        <Trans id="banner.expired.text">
          Your subscription has expired. Renew now to continue using the system.
        </Trans>
      </p>
      <SubscriptionLink className="btn is-small">
        <Trans id="banner.renew">Renew</Trans>
      </SubscriptionLink>
    </div>
  );
}

function Expiring({ days }: { days: number }) {
  return (
    <div className="banner is-warn" role="status">
      <TriangleAlertIcon />
      <p>
        <b>
          <Trans id="banner.expiring">Subscription Expiring</Trans>
        </b>{" "}
        <Plural
          id="banner.expiring.text"
          value={days}
          one="Your subscription expires in # day. Renew to avoid interruptions."
          other="Your subscription expires in # days. Renew to avoid interruptions."
        />
      </p>
      <SubscriptionLink className="btn is-small">
        <Trans id="banner.renew">Renew</Trans>
      </SubscriptionLink>
    </div>
  );
}

function Reminder({ days }: { days: number }) {
  return (
    <div className="banner" role="status">
      <ClockIcon />
      <p>
        <b>
          <Trans id="banner.reminder">Renewal Reminder</Trans>
        </b>{" "}
        <Trans id="banner.reminder.text">Your subscription expires in {days} days.</Trans>
      </p>
      <SubscriptionLink className="btn is-small">
        <Trans id="banner.details">View Details</Trans>
      </SubscriptionLink>
    </div>
  );
}
