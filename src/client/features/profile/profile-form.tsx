import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useEffectEvent, useState } from "react";
import { type UseFormReturn, useForm } from "react-hook-form";
import {
  type CurrentUser,
  isSameEmail,
  type ProfileChange,
  profileChangeSchemaFor,
} from "../../../shared/api/users.ts";
import { violationText } from "../../calls/validation.ts";
import { TextField } from "../../ui/field.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { MailIcon } from "../../ui/icons.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import { PasswordStrengthHint } from "../auth/password-strength-hint.tsx";
import { useHis } from "../session/his-context.ts";
import { useKeptForm } from "../session/use-kept-form.ts";
import { useProfileChange } from "./use-profile-change.ts";

interface ProfileFormProps {
  /** A new address that is not confirmed by its link yet. */
  pendingEmail: string | undefined;
  onPendingEmail: (email: string | undefined) => void;
}

/** Name, e-mail and password of the signed-in person. */
export function ProfileForm({ pendingEmail, onPendingEmail }: ProfileFormProps) {
  const { user } = useHis();
  const { first, keep, drop } = useKeptForm("profile", { name: user.name, email: user.email });
  const form = useForm<ProfileChange>({
    resolver: standardSchemaResolver(profileChangeSchemaFor(user.email)),
    defaultValues: { ...valuesOf(user), ...first },
  });
  const change = useProfileChange(form, ({ user: changed, pendingEmail: pending }) => {
    form.reset(valuesOf(changed));
    drop();
    onPendingEmail(pending ?? undefined);
  });
  const isChanged = ({ name, email }: ProfileChange) => name !== user.name || email !== user.email;
  const [wasLeft] = useState(() => isChanged(form.getValues()));
  const keepChanged = useEffectEvent((values: ProfileChange) => {
    const { name, email } = values;
    // What is as it was may be changed elsewhere. Passwords are kept nowhere.
    if (isChanged(values))
      keep({ ...(name !== user.name && { name }), ...(email !== user.email && { email }) });
    else drop();
  });
  const { subscribe } = form;
  useEffect(
    () => subscribe({ formState: { values: true }, callback: ({ values }) => keepChanged(values) }),
    [subscribe],
  );

  return (
    <form
      className="panel profile-form"
      onSubmit={(event) => void form.handleSubmit(change)(event)}
      noValidate
      aria-labelledby="profile-form-title"
    >
      <h2 id="profile-form-title">
        <Trans id="profile.form.title">Your data</Trans>
      </h2>
      {wasLeft && isChanged(form.watch()) && (
        <p className="notice is-warn" role="status">
          <span>
            <Trans id="profile.unsaved">What you changed here is not saved yet.</Trans>
          </span>
        </p>
      )}
      <PersonFields form={form} pendingEmail={pendingEmail} savedEmail={user.email} />
      <PasswordFields form={form} />
      <FormActions
        className="profile-actions"
        isBusy={form.formState.isSubmitting}
        onCancel={() => form.reset(valuesOf(user))}
      />
    </form>
  );
}

type Form = UseFormReturn<ProfileChange>;

function useErrorOf({ formState: { errors } }: Form): (field: keyof ProfileChange) => string | undefined {
  const { i18n } = useLingui();
  return (field) => violationText(i18n, errors[field]?.message);
}

interface PersonFieldsProps {
  form: Form;
  pendingEmail: string | undefined;
  /** The account's present address. */
  savedEmail: string;
}

function PersonFields({ form, pendingEmail, savedEmail }: PersonFieldsProps) {
  const errorOf = useErrorOf(form);
  const isNewEmail = !isSameEmail(form.watch("email"), savedEmail);
  return (
    <>
      <TextField
        label={<Trans id="auth.name">Full name</Trans>}
        autoComplete="name"
        error={errorOf("name")}
        {...form.register("name")}
      />
      <TextField
        label={<Trans id="auth.email">E-mail</Trans>}
        type="email"
        autoComplete="email"
        inputMode="email"
        hint={
          isNewEmail ? (
            <Trans id="profile.email.passwordHint">
              Enter your current password below. The new address takes effect once you open the link sent to
              it.
            </Trans>
          ) : (
            <Trans id="profile.email.hint">
              A new address takes effect once you open the link sent to it.
            </Trans>
          )
        }
        error={errorOf("email")}
        {...form.register("email", { deps: ["currentPassword", "newPassword"] })}
      />
      {pendingEmail && (
        <div className="notice" role="status">
          <MailIcon />
          <span>
            <Trans id="profile.email.pending">
              We sent a link to {pendingEmail}. Open it within 24 hours to use that address; until then, the
              current one stays.
            </Trans>
          </span>
        </div>
      )}
    </>
  );
}

function PasswordFields({ form }: { form: Form }) {
  const errorOf = useErrorOf(form);
  const newPassword = form.watch("newPassword") ?? "";
  return (
    <fieldset className="profile-password">
      <legend>
        <Trans id="profile.password.title">Change password</Trans>
      </legend>
      <p className="field-hint">
        <Trans id="profile.password.hint">
          Leave both fields empty to keep the current one. A new password ends all other sessions and every
          token for programs. A new e-mail asks only for the current password.
        </Trans>
      </p>
      <div className="profile-pair">
        <PasswordField
          label={<Trans id="profile.currentPassword">Current password</Trans>}
          autoComplete="current-password"
          error={errorOf("currentPassword")}
          {...form.register("currentPassword", { deps: ["newPassword"] })}
        />
        <div className="strong-password">
          <PasswordField
            label={<Trans id="profile.newPassword">New password</Trans>}
            autoComplete="new-password"
            error={errorOf("newPassword")}
            {...form.register("newPassword")}
          />
          {newPassword !== "" && <PasswordStrengthHint password={newPassword} />}
        </div>
      </div>
    </fieldset>
  );
}

function valuesOf({ name, email }: CurrentUser): ProfileChange {
  return { name, email, currentPassword: "", newPassword: "" };
}
