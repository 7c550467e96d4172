import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useAtom } from "jotai";
import { Controller, useForm } from "react-hook-form";
import type { CurrentUser } from "../../../shared/api/users.ts";
import { ApiError } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { DateField } from "../../ui/date-field.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { showViolations, violationText } from "../../validation.ts";
import { changeOf, type EditUserValues, editUserSchema, valuesOfUser } from "./edit-user.rules.ts";
import { askedUserAtom, refreshUsers } from "./use-users.ts";
import { RoleField } from "./user-fields.tsx";
import { usersApi } from "./users-api.ts";

/** Changes an account. */
export function EditUserDialog() {
  const [asked, setAsked] = useAtom(askedUserAtom);
  const user = asked?.question === "edit" ? asked.user : undefined;
  const close = () => setAsked(undefined);
  return (
    <Dialog
      open={user !== undefined}
      onOpenChange={(open) => {
        if (!open) close();
      }}
      title={<Trans id="users.edit.title">Edit user</Trans>}
    >
      {user && <EditUserForm user={user} onClose={close} />}
    </Dialog>
  );
}

function EditUserForm({ user, onClose }: { user: CurrentUser; onClose: () => void }) {
  const { i18n } = useLingui();
  const form = useForm<EditUserValues>({
    resolver: standardSchemaResolver(editUserSchema),
    defaultValues: valuesOfUser(user),
  });
  const { register, control, handleSubmit, watch, formState } = form;
  const { errors, isSubmitting } = formState;
  const save = useSave(user, form.setError, onClose);

  return (
    <form className="user-form" onSubmit={(event) => void handleSubmit(save)(event)} noValidate>
      <TextField
        label={<Trans id="auth.name">Full name</Trans>}
        autoComplete="off"
        error={violationText(i18n, errors.name?.message)}
        {...register("name")}
      />
      <TextField
        label={<Trans id="auth.email">E-mail</Trans>}
        type="email"
        autoComplete="off"
        inputMode="email"
        error={violationText(i18n, errors.email?.message)}
        {...register("email")}
      />
      <RoleField control={control} name="role" disabled={isSubmitting} />
      {watch("role") !== "admin" && (
        <Controller
          control={control}
          name="expiresOn"
          render={({ field: { value, onChange, onBlur, ref } }) => (
            <DateField
              label={<Trans id="users.expiresAt">Subscription ends on</Trans>}
              hint={<Trans id="users.expiresAt.hint">Empty: never</Trans>}
              onValueChange={onChange}
              {...{ value, onBlur, ref }}
            />
          )}
        />
      )}
      <Controller
        control={control}
        name="isAuthorized"
        render={({ field }) => (
          <Checkbox
            label={<Trans id="users.authorized.long">Authorized to log in</Trans>}
            checked={field.value}
            onCheckedChange={field.onChange}
            disabled={isSubmitting}
          />
        )}
      />
      <div className="dialog-actions">
        <Button disabled={isSubmitting} onClick={onClose}>
          <Trans id="action.cancel">Cancel</Trans>
        </Button>
        <Button type="submit" kind="lit" disabled={isSubmitting}>
          {isSubmitting ? <Trans id="action.saving">Saving…</Trans> : <Trans id="action.save">Save</Trans>}
        </Button>
      </div>
    </form>
  );
}

function useSave(
  user: CurrentUser,
  setError: ReturnType<typeof useForm<EditUserValues>>["setError"],
  onSaved: () => void,
) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  return async (values: EditUserValues): Promise<void> => {
    try {
      await usersApi.change(user.id, changeOf(user, values));
      await refreshUsers(queryClient);
      showToast({ tone: "ok", title: t({ id: "users.updated", message: "User updated" }) });
      onSaved();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (showViolations(error, setError, ["name", "email", "role"])) return;
      const title = t({ id: "users.updateFailed", message: "Failed to update user" });
      showToast({ tone: "bad", title, text: error.message });
    }
  };
}
