import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useState } from "react";
import { useForm } from "react-hook-form";
import { isInvitationToken } from "../../../shared/rules/invitation-token.ts";
import type { ApiError } from "../../calls/api.ts";
import { violationText } from "../../calls/validation.ts";
import { announceSessionEnd } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { showFormFailure } from "../../ui/form-failure.ts";
import { PasswordField } from "../../ui/password-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { authApi } from "./auth-api.ts";
import type { AuthFormProps } from "./auth-forms.ts";
import { Notice, PasswordChangedNotice, RegisteredNotice } from "./auth-notices.tsx";
import { BackToLogin } from "./back-to-login.tsx";
import { FormHead } from "./form-head.tsx";
import { PasswordStrengthHint } from "./password-strength-hint.tsx";
import { type ResetFormValues, resetFormSchema } from "./reset-form.rules.ts";

/** Sets a password by a mailed link: a new one, or the first one of a person who was invited. Then the login form comes back. */
export default function ResetForm({ resetToken, onSwitch }: AuthFormProps) {
  const { t, i18n } = useLingui();
  const isFirst = isInvitationToken(resetToken ?? "");
  const [failure, setFailure] = useState<ApiError>();
  const { register, handleSubmit, setError, watch, formState } = useForm<ResetFormValues>({
    resolver: standardSchemaResolver(resetFormSchema),
    defaultValues: { token: resetToken ?? "", password: "", confirmPassword: "" },
  });
  const { errors, isSubmitting } = formState;
  const errorOf = (field: keyof ResetFormValues) => violationText(i18n, errors[field]?.message);

  const submit = handleSubmit(async ({ token, password }) => {
    setFailure(undefined);
    try {
      await authApi.resetPassword({ token, password });
      announceSessionEnd("password");
      onSwitch("login", {
        notice: isFirst ? <RegisteredNotice registration="open" /> : <PasswordChangedNotice />,
      });
      leaveResetAddress();
    } catch (error) {
      const title = isFirst
        ? t({ id: "auth.first.error", message: "The password was not saved" })
        : t({ id: "auth.resetPasswordError", message: "Failed to reset password" });
      const tell = (refusal: ApiError, isAtField: boolean) => {
        if (isAtField) return;
        setFailure(refusal);
        showToast({ tone: "bad", title });
      };
      showFormFailure(error, { setError, fields: ["token", "password"], title, tell });
    }
  });

  return (
    <form className="auth-form" onSubmit={submit} noValidate>
      {isFirst ? <FirstHead /> : <ResetHead />}
      {failure && <ResetFailure error={failure} onAskAgain={() => onSwitch("forgot")} />}
      {!resetToken && (
        <TextField
          label={<Trans id="auth.reset.token">Token of the link</Trans>}
          autoComplete="off"
          error={errorOf("token")}
          {...register("token")}
        />
      )}
      <PasswordField
        label={
          isFirst ? (
            <Trans id="auth.password">Password</Trans>
          ) : (
            <Trans id="auth.reset.password">New password</Trans>
          )
        }
        autoComplete="new-password"
        error={errorOf("password")}
        {...register("password", { deps: ["confirmPassword"] })}
      />
      <PasswordStrengthHint password={watch("password")} />
      <PasswordField
        label={<Trans id="auth.confirmPassword">Confirm password</Trans>}
        autoComplete="new-password"
        error={errorOf("confirmPassword")}
        {...register("confirmPassword")}
      />
      <Button type="submit" kind="lit" size="big" disabled={isSubmitting}>
        {isSubmitting ? (
          <Trans id="auth.reset.busy">Saving…</Trans>
        ) : isFirst ? (
          <Trans id="auth.first.submit">Save password</Trans>
        ) : (
          <Trans id="auth.reset.submit">Save new password</Trans>
        )}
      </Button>
      <p className="auth-switch">
        <BackToLogin onSwitch={onSwitch} />
      </p>
    </form>
  );
}

function ResetHead() {
  return (
    <FormHead
      title={<Trans id="auth.reset.title">New password</Trans>}
      lead={
        <Trans id="auth.reset.lead">
          You log in with it from now on. All open sessions and all tokens for programs end.
        </Trans>
      }
    />
  );
}

function FirstHead() {
  return (
    <FormHead
      title={<Trans id="auth.first.title">Choose your password</Trans>}
      lead={
        <Trans id="auth.first.lead">
          Your account is ready. You log in with your e-mail and this password from now on.
        </Trans>
      }
    />
  );
}

function ResetFailure({ error, onAskAgain }: { error: ApiError; onAskAgain: () => void }): ReactNode {
  return (
    <Notice tone="bad">
      <b>
        <Trans id="common.error">Error</Trans>
      </b>
      {": "}
      {error.message || <Trans id="auth.resetPasswordError">Failed to reset password</Trans>}{" "}
      {error.code === "auth.dead_link" && (
        <button type="button" className="link" onClick={onAskAgain}>
          <Trans id="auth.reset.askAgain">Ask for a new link</Trans>
        </button>
      )}
    </Notice>
  );
}

/** The link is used up, so a reload must not open this form again. */
function leaveResetAddress(): void {
  window.history.replaceState(null, "", "/");
}
