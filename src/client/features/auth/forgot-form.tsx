import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { Trans, useLingui } from "@lingui/react/macro";
import { useForm } from "react-hook-form";
import type * as z from "zod/mini";
import { emailOnlySchema } from "../../../shared/api/account-fields.ts";
import { violationText } from "../../calls/validation.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { showFormFailure } from "../../ui/form-failure.ts";
import { authApi } from "./auth-api.ts";
import type { AuthFormProps } from "./auth-forms.ts";
import { Notice } from "./auth-notices.tsx";
import { BackToLogin } from "./back-to-login.tsx";

type Values = z.infer<typeof emailOnlySchema>;

/** Requests a link to set a new password, then returns to the login form. It never reveals whether the account exists. */
export default function ForgotForm({ email = "", onSwitch }: AuthFormProps) {
  const { t, i18n } = useLingui();
  const { register, handleSubmit, setError, getValues, formState } = useForm<Values>({
    resolver: standardSchemaResolver(emailOnlySchema),
    defaultValues: { email },
  });
  const { errors, isSubmitting } = formState;

  const submit = handleSubmit(async (values) => {
    try {
      await authApi.forgotPassword(values.email);
      onSwitch("login", { email: values.email, notice: <LinkSentNotice email={values.email} /> });
    } catch (error) {
      const title = t({ id: "auth.forgot.failed", message: "Reset request failed" });
      showFormFailure(error, { setError, fields: ["email"], title });
    }
  });

  return (
    <form className="auth-form" onSubmit={submit} noValidate>
      <div>
        <h1>
          <Trans id="auth.forgot.title">Forgot your password?</Trans>
        </h1>
        <p className="auth-lead">
          <Trans id="auth.forgot.lead">We will send you a link to choose a new one.</Trans>
        </p>
      </div>
      <TextField
        label={<Trans id="auth.email">E-mail</Trans>}
        type="email"
        autoComplete="username"
        inputMode="email"
        error={violationText(i18n, errors.email?.message)}
        {...register("email")}
      />
      <Button type="submit" kind="lit" size="big" disabled={isSubmitting}>
        {isSubmitting ? (
          <Trans id="auth.forgot.busy">Sending…</Trans>
        ) : (
          <Trans id="auth.forgot.submit">Send link</Trans>
        )}
      </Button>
      <p className="auth-switch">
        <BackToLogin onSwitch={(form) => onSwitch(form, { email: getValues("email") })} />
      </p>
    </form>
  );
}

function LinkSentNotice({ email }: { email: string }) {
  return (
    <Notice tone="ok">
      <Trans id="auth.forgot.sent">
        If there is an account for {email}, a link is on its way. It is valid for 1 hour.
      </Trans>
    </Notice>
  );
}
