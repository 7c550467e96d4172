import { Trans } from "@lingui/react/macro";
import { SupportForm } from "./support-form.tsx";

/** Where to write when something does not work. */
export default function SupportView() {
  return (
    <>
      <div className="view-head">
        <h1>
          <Trans id="support.title">Support</Trans>
        </h1>
      </div>
      <p className="support-lead">
        <Trans id="support.lead">Tell us what happened. We reply by e-mail within 48 hours.</Trans>
      </p>
      <SupportForm />
    </>
  );
}
