import { Trans, useLingui } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { ModalityChip } from "../../../ui/chip.tsx";
import { DateField } from "../../../ui/date-field.tsx";
import { Field, TextField } from "../../../ui/field.tsx";
import { PHONE, useMediaQuery } from "../../../ui/hooks/use-media-query.ts";
import { SearchIcon } from "../../../ui/icons.tsx";
import { Select } from "../../../ui/select.tsx";
import { ModalityFilterName } from "../../studies/modality-filter-name.tsx";
import {
  datesAreSwapped,
  FILTER_MODALITIES,
  MAX_FILTER_LENGTH,
  type StudyFilters,
  studyFiltersAtom,
} from "./study-filters.ts";

function useStudyFilters() {
  const [filters, setFilters] = useAtom(studyFiltersAtom);
  const change = (changed: Partial<StudyFilters>) => setFilters({ ...filters, ...changed });
  return [filters, change] as const;
}

/** The one field that looks into everything a row shows. */
export function SearchFilter() {
  const { t } = useLingui();
  const [filters, change] = useStudyFilters();
  const isPhone = useMediaQuery(PHONE);
  return (
    <Field className="filter-search" label={<Trans id="filter.search">Search</Trans>}>
      {(tied) => (
        <div className="input">
          <SearchIcon small />
          <input
            {...tied}
            type="search"
            autoComplete="off"
            enterKeyHint="search"
            maxLength={MAX_FILTER_LENGTH}
            placeholder={
              isPhone
                ? t({ id: "filter.searchIn.short", message: "Patient, exam, clinic…" })
                : t({ id: "filter.searchIn", message: "Patient, description, institution, modality…" })
            }
            value={filters.search}
            onChange={({ target }) => change({ search: target.value })}
          />
        </div>
      )}
    </Field>
  );
}

export function PatientNameFilter() {
  const { t } = useLingui();
  const [filters, change] = useStudyFilters();
  return (
    <Field className="filter-name" label={<Trans id="exam.patientName">Patient name</Trans>}>
      {(tied) => (
        <input
          {...tied}
          className="input"
          type="search"
          autoComplete="off"
          maxLength={MAX_FILTER_LENGTH}
          placeholder={t({ id: "filter.byName", message: "Search by name" })}
          value={filters.patientName}
          onChange={({ target }) => change({ patientName: target.value })}
        />
      )}
    </Field>
  );
}

export function DateFilters() {
  const [filters, change] = useStudyFilters();
  const swapped = datesAreSwapped(filters) && (
    <Trans id="filter.datesSwapped">This is before the start date</Trans>
  );
  return (
    <>
      <DateField
        label={<Trans id="filter.startDate">Start date</Trans>}
        value={filters.startDate}
        onValueChange={(startDate) => change({ startDate })}
      />
      <DateField
        label={<Trans id="filter.endDate">End date</Trans>}
        error={swapped}
        value={filters.endDate}
        onValueChange={(endDate) => change({ endDate })}
      />
    </>
  );
}

export function ModalityFilter() {
  const [filters, change] = useStudyFilters();
  return (
    <Field label={<Trans id="exam.modality">Modality</Trans>}>
      {(tied) => (
        <Select
          {...tied}
          value={filters.modality}
          onValueChange={(modality) => change({ modality })}
          options={[
            { value: "all" as const, label: <Trans id="filter.allModalities">All</Trans> },
            ...FILTER_MODALITIES.map((code) => ({
              value: code,
              label: (
                <span className="filter-modality">
                  <ModalityChip modality={code} /> <ModalityFilterName code={code} />
                </span>
              ),
            })),
          ]}
        />
      )}
    </Field>
  );
}

/** The filters that are seldom needed. */
export function MoreFilters() {
  const [filters, change] = useStudyFilters();
  const text = (name: "description" | "accessionNumber" | "patientID") => ({
    type: "search",
    autoComplete: "off",
    maxLength: MAX_FILTER_LENGTH,
    value: filters[name],
    onChange: ({ target }: { target: HTMLInputElement }) => change({ [name]: target.value }),
  });
  return (
    <>
      <TextField label={<Trans id="exam.description">Description</Trans>} {...text("description")} />
      <TextField
        label={<Trans id="exam.accessionNumber">Accession number</Trans>}
        {...text("accessionNumber")}
      />
      <TextField label={<Trans id="exam.patientID">Patient ID</Trans>} {...text("patientID")} />
    </>
  );
}
