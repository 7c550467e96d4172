import { Trans, useLingui } from "@lingui/react/macro";
import { type Control, Controller, type FieldValues, type Path, useFormState } from "react-hook-form";
import { type Role, roles } from "../../../shared/api/users.ts";
import { violationText } from "../../calls/validation.ts";
import { Field, TextField } from "../../ui/field.tsx";
import { Select } from "../../ui/select.tsx";
import { roleName } from "./user-text.ts";

interface AccountValues extends FieldValues {
  name: string;
  email: string;
  role: Role;
}

/** The fields shared by the dialogs that add and edit an account. */
export function AccountFields<Values extends AccountValues>({ control }: { control: Control<Values> }) {
  const { i18n } = useLingui();
  const formState = useFormState({ control });
  const text = (name: Path<Values>) => ({
    ...control.register(name),
    error: violationText(i18n, control.getFieldState(name, formState).error?.message),
  });
  return (
    <>
      <TextField
        label={<Trans id="auth.name">Full name</Trans>}
        autoComplete="off"
        {...text("name" as Path<Values>)}
      />
      <TextField
        label={<Trans id="auth.email">E-mail</Trans>}
        type="email"
        autoComplete="off"
        inputMode="email"
        {...text("email" as Path<Values>)}
      />
      <Controller
        control={control}
        name={"role" as Path<Values>}
        render={({ field }) => (
          <Field label={<Trans id="users.role">Role</Trans>}>
            {(tied) => (
              <Select
                {...tied}
                value={field.value}
                onValueChange={field.onChange}
                disabled={formState.isSubmitting}
                options={roles.map((role) => ({ value: role, label: roleName(i18n, role) }))}
              />
            )}
          </Field>
        )}
      />
    </>
  );
}
