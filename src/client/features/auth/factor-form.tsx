import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import type { SignInMethod } from "../../../shared/rules/sign-in-methods.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { CODE_LENGTH, CodeField, emptyCode } from "../../ui/code-field.tsx";
import { KeyIcon } from "../../ui/entry-icons.tsx";
import { TextField } from "../../ui/field.tsx";
import type { AuthFormProps } from "./auth-forms.ts";
import { BackToLogin } from "./back-to-login.tsx";
import { keepPendingSignIn, type PendingSignIn } from "./pending-sign-in.ts";
import { usePasskeyLogin } from "./use-passkey-login.ts";
import { useVerification } from "./use-verification.ts";

/** The second step of an account that has factors of its own: what it has is offered, the mailbox is not. */
export default function FactorForm({ pending, passkeys, onSwitch }: AuthFormProps) {
  const methods = (pending?.methods ?? []).filter((method) => method !== "passkey" || passkeys);
  const [method, setMethod] = useState<SignInMethod>(methods[0] ?? "recovery");
  const others = methods.filter((other) => other !== method);
  const email = pending?.email;
  const parts: Record<SignInMethod, ReactNode> = {
    totp: <CodePart pending={pending} />,
    passkey: <PasskeyPart pending={pending} />,
    recovery: <RecoveryPart pending={pending} />,
  };
  return (
    <div className="auth-form">
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
  const { t } = useLingui();
  const [digits, setDigits] = useState(emptyCode);
  const [rememberDevice, setRememberDevice] = useState(false);
  const { isBusy, isWrong, verify } = useVerification(pending);
  const code = digits.join("");
  const submit = async (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const firstBox = event.currentTarget.querySelector("input");
    if (await verify(code, rememberDevice)) return;
    setDigits(emptyCode);
    firstBox?.focus();
  };
  return (
    <form className="auth-part" onSubmit={(event) => void submit(event)} noValidate>
      <div>
        <h1>
          <Trans id="auth.verify.title">Verification code</Trans>
        </h1>
        <p className="auth-lead">
          <Trans id="auth.factor.totpLead">Enter the 6 digits that your authenticator app shows.</Trans>
        </p>
      </div>
      <CodeField
        legend={t({ id: "auth.verify.legend", message: "Code of 6 digits" })}
        digits={digits}
        onDigitsChange={setDigits}
        invalid={isWrong && code === ""}
      />
      <RememberDevice checked={rememberDevice} onCheckedChange={setRememberDevice} />
      <VerifyButton isBusy={isBusy} isReady={code.length === CODE_LENGTH && pending !== undefined} />
    </form>
  );
}

function RecoveryPart({ pending }: PartProps) {
  const [code, setCode] = useState("");
  const { isBusy, verify } = useVerification(pending);
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    if (!(await verify(code.trim(), false))) setCode("");
  };
  return (
    <form className="auth-part" onSubmit={(event) => void submit(event)} noValidate>
      <div>
        <h1>
          <Trans id="auth.factor.recoveryTitle">Recovery code</Trans>
        </h1>
        <p className="auth-lead">
          <Trans id="auth.factor.recoveryLead">Enter one of the codes that you kept. Each works once.</Trans>
        </p>
      </div>
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
      <div>
        <h1>
          <Trans id="auth.factor.passkeyTitle">Confirm it is you</Trans>
        </h1>
        <p className="auth-lead">
          <Trans id="auth.factor.passkeyLead">
            Your browser asks for your fingerprint, face or device PIN.
          </Trans>
        </p>
      </div>
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

function RememberDevice(props: { checked: boolean; onCheckedChange: (checked: boolean) => void }) {
  return (
    <Checkbox label={<Trans id="auth.verify.remember">Trust this device for 30 days</Trans>} {...props} />
  );
}

function VerifyButton({ isBusy, isReady }: { isBusy: boolean; isReady: boolean }) {
  return (
    <Button type="submit" kind="lit" size="big" disabled={isBusy || !isReady}>
      {isBusy ? (
        <Trans id="auth.verify.busy">Verifying…</Trans>
      ) : (
        <Trans id="auth.verify.submit">Verify</Trans>
      )}
    </Button>
  );
}
