import { Trans } from "@lingui/react/macro";
import { labModalities } from "../../../shared/api/labs.ts";
import { Field, TextField } from "../../ui/field.tsx";
import { Select } from "../../ui/select.tsx";
import { ModalityFilterName } from "../studies/modality-filter-name.tsx";
import type { LabFilters } from "./lab-filters.ts";

interface LabFilterBarProps {
  filters: LabFilters;
  onFiltersChange: (filters: LabFilters) => void;
}

export function LabFilterBar({ filters, onFiltersChange }: LabFilterBarProps) {
  return (
    <search className="lab-filters">
      <TextField
        type="search"
        label={<Trans id="labs.name">Exam name</Trans>}
        autoComplete="off"
        value={filters.name}
        onChange={({ target }) => onFiltersChange({ ...filters, name: target.value })}
      />
      <Field label={<Trans id="exam.modality">Modality</Trans>}>
        {(tied) => (
          <Select
            {...tied}
            value={filters.modality}
            onValueChange={(modality) => onFiltersChange({ ...filters, modality })}
            options={[
              { value: "all", label: <Trans id="labs.filter.all">All</Trans> },
              ...labModalities.map((code) => ({
                value: code as string,
                label: <ModalityFilterName code={code} />,
              })),
            ]}
          />
        )}
      </Field>
    </search>
  );
}
