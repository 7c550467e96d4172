import { Trans, useLingui } from "@lingui/react/macro";
import { MAX_USER_SEARCH, roles } from "../../../shared/api/users.ts";
import { Field, TextField } from "../../ui/field.tsx";
import { Select } from "../../ui/select.tsx";
import type { UserFilters } from "./user-filters.ts";
import { roleName } from "./user-text.ts";

interface FilterBarProps {
  filters: UserFilters;
  onFiltersChange: (filters: UserFilters) => void;
}

const all = <Trans id="users.filter.all">All</Trans>;
const statuses = [
  { value: "all", label: all },
  { value: "authorized", label: <Trans id="users.authorized">Authorized</Trans> },
  { value: "unauthorized", label: <Trans id="users.unauthorized">Unauthorized</Trans> },
] as const;

export function FilterBar({ filters, onFiltersChange }: FilterBarProps) {
  const { i18n } = useLingui();
  return (
    <search className="user-filters">
      <TextField
        className="user-search"
        type="search"
        maxLength={MAX_USER_SEARCH}
        label={<Trans id="users.search">Name or e-mail</Trans>}
        autoComplete="off"
        value={filters.text}
        onChange={({ target }) => onFiltersChange({ ...filters, text: target.value })}
      />
      <Field label={<Trans id="users.role">Role</Trans>}>
        {(tied) => (
          <Select
            {...tied}
            value={filters.role}
            onValueChange={(role) => onFiltersChange({ ...filters, role })}
            options={[
              { value: "all", label: all },
              ...roles.map((role) => ({ value: role, label: roleName(i18n, role) })),
            ]}
          />
        )}
      </Field>
      <Field label={<Trans id="users.status">Status</Trans>}>
        {(tied) => (
          <Select
            {...tied}
            value={filters.status}
            onValueChange={(status) => onFiltersChange({ ...filters, status })}
            options={statuses}
          />
        )}
      </Field>
    </search>
  );
}
