import { Trans, useLingui } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { useFocusWhenDone } from "../../../ui/hooks/use-focus-when-done.ts";
import { PHONE, useMediaQuery } from "../../../ui/hooks/use-media-query.ts";
import { SlidersIcon } from "../../../ui/icons.tsx";
import { Popover } from "../../../ui/popover.tsx";
import { openAtom } from "../../places/views.ts";
import {
  DateFilters,
  ModalityFilter,
  MoreFilters,
  PatientNameFilter,
  SearchFilter,
} from "./study-filter-fields.tsx";
import { countFilters, noFilters, studyFiltersAtom } from "./study-filters.ts";

const isFilterSheetOpenAtom = openAtom("filters");

/** The filters of the list; on a phone all of them except the search are behind one button. */
export function StudyFilterBar() {
  const isPhone = useMediaQuery(PHONE);
  return (
    <search className="study-filters" tabIndex={-1}>
      <SearchFilter />
      {isPhone ? (
        <FilterSheet />
      ) : (
        <>
          <PatientNameFilter />
          <DateFilters />
          <ModalityFilter />
          <MoreFiltersButton />
          <ClearFilters />
        </>
      )}
    </search>
  );
}

function MoreFiltersButton() {
  const { t } = useLingui();
  const [{ description, accessionNumber, patientID }] = useAtom(studyFiltersAtom);
  const label = t({ id: "filter.more", message: "More filters" });
  const trigger = (
    <Button className="filter-more">
      <SlidersIcon small />
      <span className="filter-more-label">{label}</span>
      <FilterCount count={countFilters({ description, accessionNumber, patientID })} />
    </Button>
  );
  return (
    <Popover trigger={trigger} label={label}>
      <div className="filter-fields">
        <MoreFilters />
      </div>
    </Popover>
  );
}

function FilterSheet() {
  const { t } = useLingui();
  const [isOpen, setOpen] = useAtom(isFilterSheetOpenAtom);
  const [{ search: _besideIt, ...others }] = useAtom(studyFiltersAtom);
  const title = t({ id: "filter.title", message: "Filters" });
  return (
    <>
      <Button className="filter-open" onClick={() => setOpen(true)}>
        <SlidersIcon />
        <span className="sr-only">{title}</span>
        <FilterCount count={countFilters(others)} />
      </Button>
      <Dialog open={isOpen} onOpenChange={setOpen} title={title}>
        <div className="filter-fields">
          <PatientNameFilter />
          <div className="filter-dates">
            <DateFilters />
          </div>
          <ModalityFilter />
          <MoreFilters />
        </div>
        <div className="dialog-actions">
          <ClearFilters />
          <Button kind="lit" onClick={() => setOpen(false)}>
            <Trans id="filter.show">Show the exams</Trans>
          </Button>
        </div>
      </Dialog>
    </>
  );
}

function FilterCount({ count }: { count: number }) {
  return count > 0 ? <span className="filter-count">{count}</span> : null;
}

export function ClearFilters({ kind = "quiet" }: { kind?: "quiet" | "outline" }) {
  const [filters, setFilters] = useAtom(studyFiltersAtom);
  const isCleared = filters === noFilters;
  const button = useFocusWhenDone(isCleared);
  return (
    <Button ref={button} kind={kind} disabled={isCleared} onClick={() => setFilters(noFilters)}>
      <Trans id="filter.clear">Clear filters</Trans>
    </Button>
  );
}
