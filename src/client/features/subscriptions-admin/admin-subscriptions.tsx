import { Trans } from "@lingui/react/macro";

/** Everybody's subscriptions, for an admin. */
export default function AdminSubscriptions() {
  return (
    <div className="view-head">
      <h1>
        <Trans id="menu.subscription">Subscription</Trans>
      </h1>
    </div>
  );
}
