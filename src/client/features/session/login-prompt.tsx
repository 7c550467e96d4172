import { Trans } from "@lingui/react/macro";
import { ErrorCard } from "../../ui/error-card.tsx";

/** Shown until a page whose session has ended leads back to the login form. */
export function LoginPrompt() {
  return (
    <ErrorCard
      title={<Trans id="study.login.title">Log in to see your exams</Trans>}
      action={{
        label: <Trans id="study.login.action">Log in</Trans>,
        run: () => window.location.assign("/?expired=true"),
      }}
    >
      <Trans id="error.sessionExpired">Session expired. Please log in again.</Trans>
    </ErrorCard>
  );
}
