import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useAtom } from "jotai";
import { Controller, type UseFormSetError, useForm } from "react-hook-form";
import type { CurrentUser } from "../../../shared/api/users.ts";
import { Checkbox } from "../../ui/checkbox.tsx";
import { DateField } from "../../ui/date-field.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { showFormFailure } from "../../ui/form-failure.ts";
import { showToast } from "../../ui/toast.tsx";
import { useOwnClose } from "../places/use-own-close.ts";
import { changeOf, type EditUserValues, editUserSchema, valuesOfUser } from "./edit-user.rules.ts";
import { editedUserSubject, USERS_AND_SELF, useFoundUser } from "./use-users.ts";
import { AccountFields } from "./user-fields.tsx";
import { usersApi } from "./users-api.ts";

/** Edits an account. */
export function EditUserDialog() {
  const [user, setUser] = useAtom(editedUserSubject.valueAtom);
  useFoundUser(editedUserSubject);
  const close = () => setUser(undefined);
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
  const form = useForm<EditUserValues>({
    resolver: standardSchemaResolver(editUserSchema),
    defaultValues: valuesOfUser(user),
  });
  const { control, handleSubmit, watch, formState } = form;
  const { isSubmitting } = formState;
  const save = useSave(user, form.setError, useOwnClose(onClose));

  return (
    <form className="user-form" onSubmit={(event) => void handleSubmit(save)(event)} noValidate>
      <AccountFields control={control} />
      {watch("role") !== "admin" && (
        <Controller
          control={control}
          name="expiresOn"
          render={({ field: { value, onChange, onBlur, ref } }) => (
            <DateField
              label={<Trans id="users.expiresAt">Subscription ends on</Trans>}
              hint={<Trans id="users.expiresAt.hint">Empty: never</Trans>}
              onValueChange={onChange}
              value={value}
              onBlur={onBlur}
              ref={ref}
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
      <FormActions isBusy={isSubmitting} onCancel={onClose} />
    </form>
  );
}

function useSave(user: CurrentUser, setError: UseFormSetError<EditUserValues>, onSaved: () => void) {
  const { t } = useLingui();
  const { mutateAsync } = useMutation({
    meta: { changes: USERS_AND_SELF },
    mutationFn: (values: EditUserValues) => usersApi.change(user.id, changeOf(user, values)),
  });
  return async (values: EditUserValues): Promise<void> => {
    try {
      await mutateAsync(values);
      showToast({ tone: "ok", title: t({ id: "users.updated", message: "User updated" }) });
      onSaved();
    } catch (error) {
      showFormFailure(error, {
        setError,
        fields: ["name", "email", "role"],
        fieldOfCode: { "auth.email_taken": "email" },
        title: t({ id: "users.updateFailed", message: "Failed to update user" }),
      });
    }
  };
}
