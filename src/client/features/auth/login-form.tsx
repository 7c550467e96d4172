import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { type Login, loginSchema } from "../../../shared/api/auth.ts";
import { ApiError, api } from "../../api.ts";
import { beginSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { TextField } from "../../ui/field.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { showViolations, violationText } from "../../validation.ts";
import type { AuthFormProps } from "./auth-forms.ts";

/** Signs in; the screen goes on to /his once there is a session. */
export function LoginForm({ email, registration, notice, onSwitch }: AuthFormProps) {
  const { t, i18n } = useLingui();
  const [keepConnected, setKeepConnected] = useState(false);
  const { register, handleSubmit, setError, formState } = useForm<Login>({
    resolver: standardSchemaResolver(loginSchema),
    defaultValues: { email: email ?? "", password: "" },
  });
  const { errors } = formState;
  // Until the other page is there, the form stays as it was sent.
  const isBusy = formState.isSubmitting || formState.isSubmitSuccessful;

  const submit = handleSubmit(async (credentials) => {
    try {
      beginSession(await api.login(credentials), { keepConnected });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setError("root", { type: "server" });
      if (showViolations(error, setError, ["email", "password"])) return;
      showToast({
        tone: "bad",
        title: t({ id: "auth.login.failed", message: "Login failed" }),
        text: error.message,
      });
    }
  });

  return (
    <form className="auth-form" onSubmit={submit} noValidate>
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
        type="email"
        autoComplete="username"
        inputMode="email"
        error={violationText(i18n, errors.email?.message)}
        {...register("email")}
      />
      <PasswordField
        label={<Trans id="auth.password">Password</Trans>}
        autoComplete="current-password"
        error={violationText(i18n, errors.password?.message)}
        {...register("password")}
      />
      <Checkbox
        label={<Trans id="auth.keepConnected">Keep me signed in</Trans>}
        checked={keepConnected}
        onCheckedChange={setKeepConnected}
      />
      <Button type="submit" kind="lit" size="big" disabled={isBusy}>
        {isBusy ? (
          <Trans id="auth.login.busy">Signing in…</Trans>
        ) : (
          <Trans id="auth.login.submit">Log in</Trans>
        )}
      </Button>
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
