import { Trans } from "@lingui/react/macro";
import { LoadError } from "../../ui/load-error.tsx";

/** Says that the payments could not be loaded, and offers another try. */
export function PaymentsError(props: { error: Error; onRetry: () => void }) {
  return <LoadError title={<Trans id="payments.failed">Error loading payments</Trans>} {...props} />;
}
