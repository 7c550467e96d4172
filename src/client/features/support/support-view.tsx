import { Trans } from "@lingui/react/macro";
import { SupportForm } from "./support-form.tsx";

/** The support form, with the time in which people can expect an answer. */
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
