import { Trans, useLingui } from "@lingui/react/macro";
import { type SyntheticEvent, useState } from "react";
import { ApiError } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { CODE_LENGTH, CodeField, emptyCode } from "../../ui/code-field.tsx";
import { ClockIcon } from "../../ui/entry-icons.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useNow } from "../../ui/use-now.ts";
import { authApi } from "./auth-api.ts";
import type { AuthFormProps } from "./auth-forms.ts";
import { BackToLogin } from "./back-to-login.tsx";
import { CODE_LIFE_MS, keepPendingSignIn, type PendingSignIn } from "./pending-sign-in.ts";
import { useVerification } from "./use-verification.ts";

/** The second factor: six digits from the mail, then the session as at login. */
export default function VerifyForm({ pending, onSwitch }: AuthFormProps) {
  const { t } = useLingui();
  const [digits, setDigits] = useState(emptyCode);
  const [rememberDevice, setRememberDevice] = useState(false);
  const [sentAt, setSentAt] = useState(pending?.passwordAt ?? 0);
  const { isBusy, isWrong, verify } = useVerification(pending);
  const code = digits.join("");
  const email = pending?.email;

  const submit = async (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const firstBox = event.currentTarget.querySelector("input");
    if (await verify(code, rememberDevice)) return;
    setDigits(emptyCode);
    firstBox?.focus();
  };

  return (
    <form className="auth-form" onSubmit={(event) => void submit(event)} noValidate>
      <div>
        <h1>
          <Trans id="auth.verify.title">Verification code</Trans>
        </h1>
        <p className="auth-lead">
          <Trans id="auth.verify.lead">We sent 6 digits to {email}.</Trans>
        </p>
      </div>
      <CodeField
        legend={t({ id: "auth.verify.legend", message: "Code of 6 digits" })}
        digits={digits}
        onDigitsChange={setDigits}
        invalid={isWrong && code === ""}
      />
      <Validity sentAt={sentAt} />
      <Checkbox
        label={<Trans id="auth.verify.remember">Trust this device for 30 days</Trans>}
        checked={rememberDevice}
        onCheckedChange={setRememberDevice}
      />
      <Button
        type="submit"
        kind="lit"
        size="big"
        disabled={isBusy || code.length < CODE_LENGTH || pending === undefined}
      >
        {isBusy ? (
          <Trans id="auth.verify.busy">Verifying…</Trans>
        ) : (
          <Trans id="auth.verify.submit">Verify</Trans>
        )}
      </Button>
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

/** Says for how long the last code is good. The seconds are for the eyes only. */
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
  // Later the server sends nothing without the password, and may not say so.
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

/** `9:05` */
function clockText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
