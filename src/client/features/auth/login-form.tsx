import { Trans } from "@lingui/react/macro";
import { useCallback, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { KeyIcon } from "../../ui/entry-icons.tsx";
import { TextField } from "../../ui/field.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import { type AuthFormProps, formOf } from "./auth-forms.ts";
import { typedIn, useLogin } from "./use-login.ts";
import { usePasskeyLogin, usePasskeyOffer } from "./use-passkey-login.ts";

/** Signs in, or continues with the code form. The screen opens /his once there is a session. */
export function LoginForm({ email, registration, passkeys, notice, onSwitch }: AuthFormProps) {
  const [keepConnected, setKeepConnected] = useState(false);
  const { isBusy, errorOf, submit } = useLogin((pending) => onSwitch(formOf(pending), { pending }));
  const passkey = usePasskeyLogin();
  const keepsConnected = useRef(keepConnected);
  keepsConnected.current = keepConnected;
  usePasskeyOffer(
    passkeys,
    useCallback(() => keepsConnected.current, []),
  );
  return (
    <form className="auth-form" onSubmit={(event) => submit(event, keepConnected)} noValidate>
      <div>
        <h1>
          <Trans id="auth.login.title">Log in</Trans>
        </h1>
        <p className="auth-lead">
          <Trans id="auth.login.lead">Your exams, kept safe and close at hand.</Trans>
        </p>
      </div>
      {notice}
      <TextField
        label={<Trans id="auth.email">E-mail</Trans>}
        name="email"
        type="email"
        autoComplete={passkeys ? "username webauthn" : "username"}
        inputMode="email"
        defaultValue={email}
        error={errorOf("email")}
      />
      <PasswordField
        label={<Trans id="auth.password">Password</Trans>}
        name="password"
        autoComplete="current-password"
        error={errorOf("password")}
      />
      <div className="auth-row">
        <Checkbox
          label={<Trans id="auth.keepConnected">Keep me logged in</Trans>}
          checked={keepConnected}
          onCheckedChange={setKeepConnected}
        />
        <button
          type="button"
          className="link"
          onClick={({ currentTarget }) => onSwitch("forgot", { email: typedIn(currentTarget.form, "email") })}
        >
          <Trans id="auth.forgot.link">Forgot my password</Trans>
        </button>
      </div>
      <Button type="submit" kind="lit" size="big" disabled={isBusy}>
        {isBusy ? (
          <Trans id="auth.login.busy">Logging in…</Trans>
        ) : (
          <Trans id="auth.login.submit">Log in</Trans>
        )}
      </Button>
      {passkeys && (
        <Button
          size="big"
          disabled={isBusy || passkey.isBusy}
          onClick={() => void passkey.logIn({ keepConnected })}
        >
          <KeyIcon small />
          <Trans id="auth.passkey.submit">Log in with a passkey</Trans>
        </Button>
      )}
      {registration !== "closed" && (
        <p className="auth-switch">
          <Trans id="auth.login.noAccount">No account yet?</Trans>{" "}
          <button type="button" className="link" onClick={() => onSwitch("register")}>
            <Trans id="auth.register.link">Create account</Trans>
          </button>
        </p>
      )}
    </form>
  );
}
