import { Trans } from "@lingui/react/macro";
import { type ReactNode, type SyntheticEvent, useEffect, useRef, useState } from "react";
import type { SignInMethod } from "../../../shared/rules/sign-in-methods.ts";
import { Button } from "../../ui/button.tsx";
import { KeyIcon } from "../../ui/entry-icons.tsx";
import { TextField } from "../../ui/field.tsx";
import type { AuthFormProps } from "./auth-forms.ts";
import { BackToLogin } from "./back-to-login.tsx";
import { CodeDigits, RememberDevice, useCodeEntry, VerifyButton } from "./code-entry.tsx";
import { FormHead } from "./form-head.tsx";
import { keepPendingSignIn, type PendingSignIn } from "./pending-sign-in.ts";
import { useCodeCheck } from "./use-code-check.ts";
import { usePasskeyLogin } from "./use-passkey-login.ts";

/** The second step of an account with its own factors. It offers those factors instead of a mailed code. */
export default function FactorForm({ pending, passkeys, onSwitch }: AuthFormProps) {
  const methods = (pending?.methods ?? []).filter((method) => method !== "passkey" || passkeys);
  const [method, setMethod] = useState<SignInMethod>(methods[0] ?? "recovery");
  const others = methods.filter((other) => other !== method);
  const form = useRef<HTMLDivElement>(null);
  const shown = useRef(method);
  // The pressed button goes, because its way is the shown one.
  useEffect(() => {
    if (shown.current !== method) form.current?.querySelector<HTMLElement>("input, button")?.focus();
    shown.current = method;
  }, [method]);
  const email = pending?.email;
  const parts: Record<SignInMethod, ReactNode> = {
    totp: <CodePart pending={pending} />,
    passkey: <PasskeyPart pending={pending} />,
    recovery: <RecoveryPart pending={pending} />,
  };
  return (
    <div className="auth-form" ref={form}>
      {parts[method]}
      {others.length > 0 && (
        <>
          <p className="auth-or">
            <Trans id="auth.factor.or">or</Trans>
          </p>
          <div className="auth-others">
            {others.map((other) => (
              <button key={other} type="button" className="link" onClick={() => setMethod(other)}>
                <MethodName method={other} />
              </button>
            ))}
          </div>
        </>
      )}
      <p className="auth-switch">
        <BackToLogin
          onSwitch={(form) => {
            keepPendingSignIn(undefined);
            onSwitch(form, { email });
          }}
        />
      </p>
    </div>
  );
}

function MethodName({ method }: { method: SignInMethod }) {
  if (method === "totp") return <Trans id="auth.factor.useTotp">Use the authenticator app</Trans>;
  if (method === "passkey") return <Trans id="auth.factor.usePasskey">Use a passkey</Trans>;
  return <Trans id="auth.factor.useRecovery">Use a recovery code</Trans>;
}

interface PartProps {
  pending: PendingSignIn | undefined;
}

function CodePart({ pending }: PartProps) {
  const entry = useCodeEntry(pending);
  return (
    <form className="auth-part" onSubmit={entry.onSubmit} noValidate>
      <FormHead
        title={<Trans id="auth.verify.title">Verification code</Trans>}
        lead={<Trans id="auth.factor.totpLead">Enter the 6 digits that your authenticator app shows.</Trans>}
      />
      <CodeDigits {...entry} />
      <RememberDevice {...entry} />
      <VerifyButton {...entry} />
    </form>
  );
}

function RecoveryPart({ pending }: PartProps) {
  const [code, setCode] = useState("");
  const { isBusy, verify } = useCodeCheck(pending);
  const submit = async (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const field = event.currentTarget.querySelector("input");
    // It is long: what is wrong with it can be corrected.
    if (!(await verify(code.trim(), false))) field?.focus();
  };
  return (
    <form className="auth-part" onSubmit={(event) => void submit(event)} noValidate>
      <FormHead
        title={<Trans id="auth.factor.recoveryTitle">Recovery code</Trans>}
        lead={
          <Trans id="auth.factor.recoveryLead">Enter one of the codes that you kept. Each works once.</Trans>
        }
      />
      <TextField
        label={<Trans id="auth.factor.recoveryCode">Code</Trans>}
        name="recovery"
        className="auth-recovery"
        placeholder="xxxx-xxxx-xxxx-xxxx"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={40}
        value={code}
        onChange={({ target }) => setCode(target.value)}
      />
      <VerifyButton isBusy={isBusy} isReady={code.trim() !== "" && pending !== undefined} />
    </form>
  );
}

function PasskeyPart({ pending }: PartProps) {
  const { isBusy, logIn } = usePasskeyLogin();
  return (
    <div className="auth-part">
      <FormHead
        title={<Trans id="auth.factor.passkeyTitle">Confirm it is you</Trans>}
        lead={
          <Trans id="auth.factor.passkeyLead">
            Your browser asks for your fingerprint, face or device PIN.
          </Trans>
        }
      />
      <Button
        kind="lit"
        size="big"
        disabled={isBusy || pending === undefined}
        onClick={() => pending && void logIn(pending)}
      >
        <KeyIcon small />
        <Trans id="auth.factor.usePasskey">Use a passkey</Trans>
      </Button>
    </div>
  );
}
