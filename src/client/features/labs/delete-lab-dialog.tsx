import { Trans, useLingui } from "@lingui/react/macro";
import type { LabExam } from "../../../shared/api/labs.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { FileTextIcon } from "../../ui/icons.tsx";
import { labDate, labName } from "./lab-text.ts";
import { useLabDeletion } from "./use-labs.ts";

interface DeleteLabDialogProps {
  exam: LabExam;
  onClose: () => void;
}

/** Asks for confirmation and deletes a laboratory PDF. */
export function DeleteLabDialog({ exam, onClose }: DeleteLabDialogProps) {
  const { i18n } = useLingui();
  const deletion = useLabDeletion();
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => {
        if (!open && !deletion.isPending) onClose();
      }}
      title={<Trans id="study.delete.title">Confirm deletion</Trans>}
      text={<LabDeletionText />}
      confirmLabel={
        deletion.isPending ? (
          <Trans id="action.deleting">Deleting…</Trans>
        ) : (
          <Trans id="pdf.delete.yes">Yes, delete</Trans>
        )
      }
      busy={deletion.isPending}
      onConfirm={() => deletion.mutate(exam, { onSettled: onClose })}
    >
      <div className="quote">
        <FileTextIcon />
        <div className="study-quote">
          <b>{labName(i18n, exam)}</b>
          <span>{labDate(exam)}</span>
        </div>
      </div>
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
