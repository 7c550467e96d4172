import { Trans, useLingui } from "@lingui/react/macro";
import { type Control, Controller, type FieldValues, type Path } from "react-hook-form";
import { roles } from "../../../shared/api/users.ts";
import { Field } from "../../ui/field.tsx";
import { Select } from "../../ui/select.tsx";
import { roleName } from "./user-text.ts";

interface RoleFieldProps<Values extends FieldValues> {
  control: Control<Values>;
  name: Path<Values>;
  disabled: boolean;
}

export function RoleField<Values extends FieldValues>({ control, name, disabled }: RoleFieldProps<Values>) {
  const { i18n } = useLingui();
  return (
    <Controller
      control={control}
      name={name}
      render={({ field }) => (
        <Field label={<Trans id="users.role">Role</Trans>}>
          {(tied) => (
            <Select
              {...tied}
              value={field.value}
              onValueChange={field.onChange}
              disabled={disabled}
              options={roles.map((role) => ({ value: role, label: roleName(i18n, role) }))}
            />
          )}
        </Field>
      )}
    />
  );
}
