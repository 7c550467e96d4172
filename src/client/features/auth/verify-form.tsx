import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { ApiError } from "../../calls/api.ts";
import { ClockIcon } from "../../ui/entry-icons.tsx";
import { useNow } from "../../ui/hooks/use-now.ts";
import { clockText } from "../../ui/text/clock-text.ts";
import { showToast } from "../../ui/toast.tsx";
import { authApi } from "./auth-api.ts";
import type { AuthFormProps } from "./auth-forms.ts";
import { BackToLogin } from "./back-to-login.tsx";
import { CodeDigits, RememberDevice, useCodeEntry, VerifyButton } from "./code-entry.tsx";
import { FormHead } from "./form-head.tsx";
import { CODE_LIFE_MS, keepPendingSignIn, type PendingSignIn } from "./pending-sign-in.ts";

/** The second factor: six digits from the mail, then a session as after a login. */
export default function VerifyForm({ pending, onSwitch }: AuthFormProps) {
  const entry = useCodeEntry(pending);
  const [sentAt, setSentAt] = useState(pending?.passwordAt ?? 0);
  const email = pending?.email;
  return (
    <form className="auth-form" onSubmit={entry.onSubmit} noValidate>
      <FormHead
        title={<Trans id="auth.verify.title">Verification code</Trans>}
        lead={<Trans id="auth.verify.lead">We sent 6 digits to {email}.</Trans>}
      />
      <CodeDigits {...entry} />
      <Validity sentAt={sentAt} />
      <RememberDevice {...entry} />
      <VerifyButton {...entry} />
      <div className="auth-row">
        <BackToLogin
          onSwitch={(form) => {
            keepPendingSignIn(undefined);
            onSwitch(form, { email });
          }}
        />
        {pending && <ResendLink pending={pending} onSent={() => setSentAt(Date.now())} />}
      </div>
    </form>
  );
}

/** Shows how long the last code is valid. Screen readers do not read the seconds. */
function Validity({ sentAt }: { sentAt: number }) {
  const leftMs = sentAt + CODE_LIFE_MS - useNow();
  return (
    <p className={`auth-validity ${leftMs > 0 ? "" : "is-over"}`} role="status">
      <ClockIcon small />
      {leftMs > 0 ? (
        <>
          <Trans id="auth.verify.validity">The code is valid for 10 minutes.</Trans>
          <span aria-hidden="true">{clockText(leftMs)}</span>
        </>
      ) : (
        <Trans id="auth.verify.over">The code has expired. Go back and log in again.</Trans>
      )}
    </p>
  );
}

function ResendLink({ pending, onSent }: { pending: PendingSignIn; onSent: () => void }) {
  const { t } = useLingui();
  const [isBusy, setBusy] = useState(false);
  // After this time the server sends no code without the password, and must not reveal that.
  const isTooLate = useNow() - pending.passwordAt >= CODE_LIFE_MS;

  const resend = async () => {
    setBusy(true);
    try {
      await authApi.resendCode(pending.email);
      onSent();
      showToast({ tone: "ok", title: t({ id: "auth.resend.sent", message: "New code sent" }) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const title = t({ id: "auth.resend.failed", message: "Failed to send verification code" });
      showToast({ tone: "bad", title, text: error.message });
    } finally {
      setBusy(false);
    }
  };

  if (isTooLate) return null;
  return (
    <button type="button" className="link" disabled={isBusy} onClick={() => void resend()}>
      {isBusy ? (
        <Trans id="auth.resend.busy">Sending code…</Trans>
      ) : (
        <Trans id="auth.resend.link">Resend code</Trans>
      )}
    </button>
  );
}
