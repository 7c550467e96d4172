import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import type { StopAnswer } from "../../../shared/api/auth.ts";
import { ApiError } from "../../calls/api.ts";
import { announceSessionEnd } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { showToast } from "../../ui/toast.tsx";
import { authApi } from "./auth-api.ts";
import type { AuthFormProps } from "./auth-forms.ts";
import { Notice } from "./auth-notices.tsx";
import { BackToLogin } from "./back-to-login.tsx";

/** Stops a change of e-mail with the token of the warning's link. It needs a button, because mail scanners open every link. */
export default function StopForm({ stopToken = "", onSwitch }: AuthFormProps) {
  const { outcome, failure, isBusy, stop } = useStop(stopToken);

  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    void stop();
  };

  return (
    <form className="auth-form" onSubmit={submit} noValidate>
      <StopHead />
      {failure && <Notice tone="bad">{failure}</Notice>}
      {outcome && (outcome.restored ? <RestoredNotice /> : <StoppedNotice />)}
      {outcome ? (
        <Button kind="lit" size="big" onClick={() => onSwitch(outcome.restored ? "login" : "forgot")}>
          {outcome.restored ? (
            <Trans id="auth.stop.toLogin">Go to login</Trans>
          ) : (
            <Trans id="auth.stop.toPassword">Choose a new password</Trans>
          )}
        </Button>
      ) : (
        <Button type="submit" kind="lit" size="big" disabled={isBusy}>
          {isBusy ? (
            <Trans id="auth.stop.busy">Stopping…</Trans>
          ) : (
            <Trans id="auth.stop.submit">Stop the change</Trans>
          )}
        </Button>
      )}
      {!outcome?.restored && (
        <p className="auth-switch">
          <BackToLogin onSwitch={onSwitch} />
        </p>
      )}
    </form>
  );
}

function useStop(token: string) {
  const { t } = useLingui();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [outcome, setOutcome] = useState<StopAnswer>();

  const stop = async (): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      const answer = await authApi.stopEmailChange(token);
      // The link is used up, so a reload must not open this form again.
      window.history.replaceState(null, "", "/");
      if (answer.restored) announceSessionEnd("expired");
      setOutcome(answer);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setFailure(error.message);
      const title = t({ id: "auth.stop.failed", message: "The change could not be stopped" });
      showToast({ tone: "bad", title });
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, failure, outcome, stop };
}

function StopHead(): ReactNode {
  return (
    <div>
      <h1>
        <Trans id="auth.stop.title">Stop the change of e-mail?</Trans>
      </h1>
      <p className="auth-lead">
        <Trans id="auth.stop.lead">
          Your account keeps the address that this message came to. If the change has already taken effect, it
          is undone: every session ends, and we send a link to choose a new password.
        </Trans>
      </p>
    </div>
  );
}

function StoppedNotice() {
  return (
    <Notice tone="ok">
      <Trans id="auth.stop.stopped">
        The change was stopped. If it was not you who asked for it, somebody knows your password: choose a new
        one.
      </Trans>
    </Notice>
  );
}

function RestoredNotice() {
  return (
    <Notice tone="ok">
      <Trans id="auth.stop.restored">
        Your account has its former address again, and every session has ended. We sent you a link to choose a
        new password.
      </Trans>
    </Notice>
  );
}
