import { Trans, useLingui } from "@lingui/react/macro";
import type { LabExam } from "../../../shared/api/labs.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { FileTextIcon } from "../../ui/icons.tsx";
import { labDate, labName } from "./lab-text.ts";

interface DeleteLabDialogProps {
  /** The exam to delete; the dialog is closed while this is undefined. */
  exam: LabExam | undefined;
  isPending: boolean;
  onCancel: () => void;
  onConfirm: () => void;
}

/** Asks for confirmation before a laboratory PDF is deleted. */
export function DeleteLabDialog({ exam, isPending, onCancel, onConfirm }: DeleteLabDialogProps) {
  const { i18n } = useLingui();
  return (
    <ConfirmDialog
      open={exam !== undefined}
      onOpenChange={(open) => {
        if (!open && !isPending) onCancel();
      }}
      title={<Trans id="study.delete.title">Confirm deletion</Trans>}
      text={<LabDeletionText />}
      confirmLabel={
        isPending ? (
          <Trans id="action.deleting">Deleting…</Trans>
        ) : (
          <Trans id="pdf.delete.yes">Yes, delete</Trans>
        )
      }
      busy={isPending}
      onConfirm={onConfirm}
    >
      {exam && (
        <div className="quote">
          <FileTextIcon />
          <div className="study-quote">
            <b>{labName(i18n, exam)}</b>
            <span>{labDate(exam)}</span>
          </div>
        </div>
      )}
    </ConfirmDialog>
  );
}

export function LabDeletionText() {
  return (
    <Trans id="labs.delete.text">
      Are you sure you want to delete this exam? This action cannot be undone and counts as 1 of this month's
      actions.
    </Trans>
  );
}
