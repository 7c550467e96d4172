import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ConfirmDialog } from "./dialog.tsx";
import { showToast } from "./toast.tsx";

interface EndDialogProps {
  title: string;
  text: ReactNode;
  confirmLabel: ReactNode;
  /** Title of the toast afterwards. */
  endedText: string;
  failedText: string;
  end: () => Promise<unknown>;
  /** Reads again what was ended, also after a failure: another tab may have ended it. */
  refresh: () => Promise<unknown>;
  onClose: () => void;
  /** Closes the dialog once the answer has come; something else may be open by then. */
  onEnded: () => void;
}

/** Asks before something that people set up is ended for good, ends it, and says so. */
export function EndDialog({
  end,
  refresh,
  onClose,
  onEnded,
  endedText,
  failedText,
  ...question
}: EndDialogProps) {
  const ending = useMutation({
    mutationFn: end,
    onSuccess: () => showToast({ tone: "ok", title: endedText }),
    onError: (error) => showToast({ tone: "bad", title: failedText, text: error.message }),
    onSettled: async () => {
      await refresh();
      onEnded();
    },
  });
  return (
    <ConfirmDialog
      {...question}
      open
      onOpenChange={(open) => {
        if (!open && !ending.isPending) onClose();
      }}
      busy={ending.isPending}
      onConfirm={() => ending.mutate()}
    />
  );
}
