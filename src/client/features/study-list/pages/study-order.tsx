import { Trans } from "@lingui/react/macro";
import type { SortingState } from "@tanstack/react-table";
import { useAtomValue } from "jotai";
import type { Study } from "../../../../shared/api/studies.ts";
import { newStudiesAtom } from "../../studies/new-studies.ts";
import { NEWEST_FIRST } from "./list-place.ts";

interface StudyOrderProps {
  sorting: SortingState;
  onSortingChange: (sorting: SortingState) => void;
}

/** Says so while the list begins with what was sent last, and leads back to the order by the exams' dates. */
export function StudyOrder({ sorting, onSortingChange }: StudyOrderProps) {
  if (sorting[0]?.id !== "createdAt") return null;
  return (
    <p className="study-order">
      <Trans id="study.order.sent">What was sent last comes first.</Trans>{" "}
      <button type="button" className="link" onClick={() => onSortingChange(NEWEST_FIRST)}>
        <Trans id="study.order.byDate">Sort by exam date</Trans>
      </button>
    </p>
  );
}

/** Marks an exam of the last upload. */
export function NewMark({ study }: { study: Pick<Study, "id"> }) {
  const { ids } = useAtomValue(newStudiesAtom);
  if (!ids.includes(study.id)) return null;
  return (
    <span className="study-new">
      <Trans id="study.new">New</Trans>
    </span>
  );
}
