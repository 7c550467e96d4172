import { useLingui } from "@lingui/react/macro";
import type { LabExam } from "../../../shared/api/labs.ts";
import { IconButton } from "../../ui/button.tsx";
import { ModalityChip } from "../../ui/chip.tsx";
import { EyeIcon } from "../../ui/entry-icons.tsx";
import { DownloadIcon, FileTextIcon, TrashIcon } from "../../ui/icons.tsx";
import { isBesideControls } from "../../ui/is-beside-controls.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { modalityName } from "../studies/modality-names.ts";
import { labDate, labName } from "./lab-text.ts";
import { useLabDownload } from "./use-labs.ts";

export interface LabListProps {
  exams: readonly LabExam[];
  /** Ids of the exams that are being deleted. */
  busyIds: ReadonlySet<string>;
  onView: (exam: LabExam) => void;
  onDelete: (exam: LabExam) => void;
}

/** Id of the button that opens an exam, to which the focus returns. */
export const viewButtonId = (examId: string) => `lab-view-${examId}`;

export function LabList({ exams, ...actions }: LabListProps) {
  return (
    <ul className="lab-list">
      {exams.map((exam) => (
        <LabItem key={exam.id} exam={exam} {...actions} />
      ))}
    </ul>
  );
}

function LabItem({ exam, busyIds, onView, onDelete }: Omit<LabListProps, "exams"> & { exam: LabExam }) {
  const { i18n, t } = useLingui();
  const download = useLabDownload();
  const name = labName(i18n, exam);
  const isBusy = busyIds.has(exam.id) || download.isPending;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: for mouse and finger; the row has a button that does the same
    <li
      className="lab-item"
      aria-busy={isBusy}
      onClick={({ target }) => {
        if (!isBusy && isBesideControls(target)) onView(exam);
      }}
    >
      <FileTextIcon className="study-lit-icon" />
      <div className="lab-text">
        <b>{name}</b>
        <span>
          <ModalityChip modality={exam.modality} />
          {`${modalityName(i18n, exam.modality)} · ${labDate(exam)}`}
        </span>
      </div>
      <div className="lab-actions">
        <IconButton
          id={viewButtonId(exam.id)}
          label={t({ id: "labs.viewOf", message: `View ${name}` })}
          disabled={isBusy}
          onClick={() => onView(exam)}
        >
          <EyeIcon />
        </IconButton>
        <IconButton
          label={t({ id: "labs.downloadOf", message: `Download ${name}` })}
          disabled={isBusy}
          onClick={() => download.mutate(exam)}
        >
          <DownloadIcon />
        </IconButton>
        <IconButton
          label={t({ id: "labs.deleteOf", message: `Delete ${name}` })}
          destructive
          disabled={isBusy}
          onClick={() => onDelete(exam)}
        >
          <TrashIcon />
        </IconButton>
      </div>
    </li>
  );
}

export function LabListSkeleton() {
  return (
    <ul className="lab-list" aria-busy="true">
      {["a", "b", "c"].map((place) => (
        <li key={place} className="lab-item">
          <Skeleton className="h-4 w-48" />
        </li>
      ))}
    </ul>
  );
}
