import { useLingui } from "@lingui/react/macro";
import { useAtom, useAtomValue } from "jotai";
import type { Study } from "../../../../shared/api/studies.ts";
import { ModalityChip } from "../../../ui/chip.tsx";
import { ChevronDownIcon, FileTextIcon } from "../../../ui/icons.tsx";
import { Skeleton } from "../../../ui/skeleton.tsx";
import { ReportButton } from "../../reports/report-button.tsx";
import { useHis } from "../../session/his-context.ts";
import { ShareButton } from "../../sharing/share-actions.tsx";
import { busyStudiesAtom } from "../../studies/busy-studies.ts";
import { modalityCodes } from "../../studies/modality-names.ts";
import { StudyIntegrity } from "../../studies/study-integrity.tsx";
import { dateText, descriptionText, patientText } from "../../studies/study-text.ts";
import { MoreActions } from "../actions/more-actions.tsx";
import { RenameButton } from "../actions/rename-study.tsx";
import { FailedTransfer } from "../open-study/failed-transfer.tsx";
import { SeriesSheet } from "../open-study/series-sheet.tsx";
import { StudyCheck } from "../open-study/study-check.tsx";
import { openStudiesAtom } from "../pages/list-place.ts";
import { NewMark } from "../pages/study-order.tsx";
import { rowOf } from "../pages/use-new-arrivals.ts";
import { STUDIES_PER_PAGE } from "../pages/use-study-list.ts";
import { useSelected } from "../selection/select-exams.tsx";
import { OpeningFilm, StudyFilm } from "../show-images/study-film.tsx";
import { ViewerButton } from "../show-images/viewer-button.tsx";
import { StorageDot } from "../storage-status.tsx";
import { StudyOrigin, StudyOwner, StudyWhose } from "../table/study-cells.tsx";
import { columnVisibility, hasActions } from "../table/study-columns.tsx";

interface StudyPhoneListProps {
  /** Undefined while they are loading. */
  studies: Study[] | undefined;
  /** Whether these are the studies of the page before, while the asked one is read. */
  isReading: boolean;
  hasSeveralPatients: boolean;
}

/** The list on a phone: viewer and sharing are one tap, a tap elsewhere opens series and actions. */
export function StudyPhoneList({ studies, isReading, hasSeveralPatients }: StudyPhoneListProps) {
  const [open, setOpen] = useAtom(openStudiesAtom);
  if (!studies) return <PhoneSkeleton />;
  return (
    <ul
      className={`panel phone-studies ${isReading ? "is-reading" : ""}`}
      aria-busy={isReading ? "true" : undefined}
    >
      {studies.map((study) => (
        <PhoneRow
          key={study.id}
          study={study}
          hasSeveralPatients={hasSeveralPatients}
          isOpen={open[study.id] === true}
          onToggle={() => setOpen(open[study.id] ? {} : { [study.id]: true })}
        />
      ))}
    </ul>
  );
}

/** While exams are being chosen, a tap anywhere on a row chooses it. */
function PhoneRow(props: PhoneStudyProps) {
  const { study, hasSeveralPatients } = props;
  const selected = useSelected(study);
  if (!selected) return <PhoneStudy {...props} />;
  return (
    <li className={`phone-study ${selected.isSelected ? "is-selected" : ""}`} {...rowOf(study.id)}>
      <label className="phone-study-line phone-study-choice">
        <StudyFilm study={study} large />
        <span className="phone-study-toggle">
          <PhoneStudyText study={study} hasSeveralPatients={hasSeveralPatients} />
        </span>
        <input
          type="checkbox"
          className="checkbox"
          checked={selected.isSelected}
          disabled={selected.isFull}
          onChange={selected.toggle}
        />
      </label>
    </li>
  );
}

interface PhoneStudyProps {
  study: Study;
  hasSeveralPatients: boolean;
  isOpen: boolean;
  onToggle: () => void;
}

function PhoneStudy({ study, hasSeveralPatients, isOpen, onToggle }: PhoneStudyProps) {
  const { role } = useHis().user;
  const isBusy = useAtomValue(busyStudiesAtom).has(study.id);
  return (
    <li
      className={`phone-study ${isOpen ? "is-open" : ""} ${isBusy ? "is-busy" : ""}`}
      aria-busy={isBusy}
      {...rowOf(study.id)}
    >
      <div className="phone-study-line">
        <OpeningFilm study={study} large />
        <button type="button" className="phone-study-toggle" aria-expanded={isOpen} onClick={onToggle}>
          <PhoneStudyText study={study} hasSeveralPatients={hasSeveralPatients} />
          {isOpen && <ChevronDownIcon className="study-lit-icon" />}
        </button>
        {!isOpen && (
          <>
            <ShareButton study={study} />
            <ViewerButton study={study} kind="icon" />
          </>
        )}
      </div>
      {isOpen && (
        <>
          {role === "admin" ? <StudyWhose study={study} /> : <StudyOrigin study={study} />}
          <SeriesSheet study={study} />
          <div className="phone-study-actions">
            <ViewerButton study={study} kind="lit" />
            <ReportButton study={study} />
            <ShareButton study={study} />
            {hasActions(role) && <MoreActions study={study} />}
          </div>
          <RenameButton study={study} />
          <StudyCheck study={study} />
          <FailedTransfer study={study} />
        </>
      )}
    </li>
  );
}

function PhoneStudyText({
  study,
  hasSeveralPatients,
}: Pick<PhoneStudyProps, "study" | "hasSeveralPatients">) {
  const { i18n, t } = useLingui();
  const { role } = useHis().user;
  const columns = columnVisibility(role, hasSeveralPatients);
  return (
    <span className="phone-study-text">
      <b>{descriptionText(i18n, study)}</b>
      {columns.patientName && <span className="phone-study-patient">{patientText(i18n, study)}</span>}
      <NewMark study={study} />
      {role !== "admin" && <StudyOwner study={study} />}
      <StudyIntegrity study={study} />
      <span className="phone-study-facts">
        {modalityCodes(study.modality).map((code) => (
          <ModalityChip key={code} modality={code} />
        ))}
        {dateText(i18n, study.studyDate)}
        {columns.storageStatus && <StorageDot status={study.storageStatus} />}
        {study.laudo && (
          <>
            <FileTextIcon small className="study-lit-icon" />
            <span className="sr-only">{t({ id: "study.hasReport", message: "Available" })}</span>
          </>
        )}
      </span>
    </span>
  );
}

function PhoneSkeleton() {
  return (
    <ul className="panel phone-studies" aria-busy="true">
      {Array.from({ length: STUDIES_PER_PAGE }, (_, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the places never move
        <li key={place} className="phone-study">
          <div className="phone-study-line">
            <span className="phone-study-toggle">
              <Skeleton shape="film" className="size-16" />
              <span className="phone-study-text">
                <Skeleton className="w-40" />
                <Skeleton className="mt-2 w-24" />
              </span>
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}
