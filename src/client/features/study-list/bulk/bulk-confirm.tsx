import type { ReactNode } from "react";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import type { BulkJob } from "./bulk-job.ts";
import {
  BulkCost,
  type BulkDialogProps,
  BulkProgressLine,
  LeftExams,
  NamedExams,
  OtherExams,
  useActionsLeft,
} from "./bulk-parts.tsx";

interface BulkConfirmProps extends BulkDialogProps {
  job: BulkJob;
  title: ReactNode;
  text: ReactNode;
  confirmKind: "destroy" | "lit";
  confirmLabel: ReactNode;
  busyLabel: ReactNode;
}

/** The one question before an action that counts against the month: which exams, what it costs, and afterwards what was left. */
export function BulkConfirm({ studies, others, onClose, job, ...texts }: BulkConfirmProps) {
  const { title, text, confirmKind, confirmLabel, busyLabel } = texts;
  const actionsLeft = useActionsLeft();
  const count = studies.length;
  const isBusy = job.progress !== undefined;
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => {
        if (!open && !isBusy) onClose();
      }}
      title={title}
      text={text}
      confirmKind={confirmKind}
      confirmLabel={isBusy ? busyLabel : confirmLabel}
      busy={isBusy}
      isReady={count > 0 && (actionsLeft ?? count) >= count}
      onConfirm={() => void job.run(studies)}
    >
      <NamedExams studies={studies} />
      <OtherExams others={others} />
      <BulkCost count={count} />
      <LeftExams left={job.left} studies={studies} />
      <BulkProgressLine job={job} />
    </ConfirmDialog>
  );
}
