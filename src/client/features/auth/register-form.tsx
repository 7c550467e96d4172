import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect } from "react";
import { Controller, useForm } from "react-hook-form";
import { registerCall } from "../../../shared/api/register.ts";
import { maskTaxId, plainTaxId, taxIdMaxLength } from "../../../shared/rules/cpf-cnpj.ts";
import { callApi } from "../../calls/api.ts";
import { violationText } from "../../calls/validation.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { showFormFailure } from "../../ui/form-failure.ts";
import { MaskedField } from "../../ui/masked-field.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import type { AuthFormProps } from "./auth-forms.ts";
import { RegisteredNotice, RegisterLead } from "./auth-notices.tsx";
import { PasswordStrengthHint } from "./password-strength-hint.tsx";
import { type RegisterFormValues, registerFormSchema } from "./register-form.rules.ts";

const empty: RegisterFormValues = { name: "", email: "", cpfcnpj: "", password: "", confirmPassword: "" };

/** Creates an account, then returns to the login form with the e-mail filled in. */
export default function RegisterForm({
  registration,
  trialDays,
  trialExams,
  registerDraft,
  onSwitch,
}: AuthFormProps) {
  const { t, i18n } = useLingui();
  const { register, control, handleSubmit, setError, watch, getValues, reset, formState } =
    useForm<RegisterFormValues>({
      resolver: standardSchemaResolver(registerFormSchema),
      defaultValues: { ...empty, ...registerDraft?.current },
    });
  const { errors, isSubmitting } = formState;
  useEffect(
    () => () => {
      const { name, email, cpfcnpj } = getValues();
      if (registerDraft) registerDraft.current = { name, email, cpfcnpj };
    },
    [getValues, registerDraft],
  );
  const errorOf = (field: keyof RegisterFormValues) => violationText(i18n, errors[field]?.message);

  const submit = handleSubmit(async ({ confirmPassword: _, ...account }) => {
    try {
      await callApi(registerCall, { body: { ...account, cpfcnpj: plainTaxId(account.cpfcnpj) } });
      reset(empty);
      onSwitch("login", { email: account.email, notice: <RegisteredNotice registration={registration} /> });
    } catch (error) {
      const title = t({ id: "auth.register.failed", message: "Registration failed" });
      showFormFailure(error, { setError, fields: ["name", "email", "cpfcnpj", "password"], title });
    }
  });

  return (
    <form className="auth-form" onSubmit={submit} noValidate>
      <div>
        <h1>
          <Trans id="auth.register.title">Create account</Trans>
        </h1>
        <RegisterLead registration={registration} trialDays={trialDays} trialExams={trialExams} />
      </div>
      <TextField
        label={<Trans id="auth.name">Full name</Trans>}
        autoComplete="name"
        error={errorOf("name")}
        {...register("name")}
      />
      <TextField
        label={<Trans id="auth.email">E-mail</Trans>}
        type="email"
        autoComplete="username"
        inputMode="email"
        error={errorOf("email")}
        {...register("email")}
      />
      <Controller
        control={control}
        name="cpfcnpj"
        render={({ field: { onChange, ...field } }) => (
          <MaskedField
            label={<Trans id="auth.cpfcnpj">CPF or CNPJ</Trans>}
            autoComplete="off"
            maxLength={taxIdMaxLength}
            mask={maskTaxId}
            onValueChange={onChange}
            error={errorOf("cpfcnpj")}
            {...field}
          />
        )}
      />
      <div className="auth-pair">
        <div className="strong-password">
          <PasswordField
            label={<Trans id="auth.password">Password</Trans>}
            autoComplete="new-password"
            error={errorOf("password")}
            {...register("password", { deps: ["confirmPassword"] })}
          />
          <PasswordStrengthHint password={watch("password")} />
        </div>
        <PasswordField
          label={<Trans id="auth.confirmPassword">Confirm password</Trans>}
          autoComplete="new-password"
          error={errorOf("confirmPassword")}
          {...register("confirmPassword")}
        />
      </div>
      <Button type="submit" kind="lit" size="big" disabled={isSubmitting}>
        {isSubmitting ? (
          <Trans id="auth.register.busy">Creating account…</Trans>
        ) : (
          <Trans id="auth.register.submit">Create account</Trans>
        )}
      </Button>
      <p className="auth-switch">
        <Trans id="auth.register.hasAccount">Already have an account?</Trans>{" "}
        <button type="button" className="link" onClick={() => onSwitch("login")}>
          <Trans id="auth.login.link">Log in</Trans>
        </button>
      </p>
    </form>
  );
}
