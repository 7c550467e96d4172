import { Trans } from "@lingui/react/macro";
import { LoadError } from "../../ui/load-error.tsx";

/** Says that the subscriptions could not be loaded, and offers another try. */
export function SubscriptionsError(props: { error: Error; onRetry: () => void }) {
  return (
    <LoadError title={<Trans id="subscriptions.failed">Error loading subscriptions</Trans>} {...props} />
  );
}
