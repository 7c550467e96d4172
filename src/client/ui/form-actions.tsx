import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";

interface FormActionsProps {
  className?: string;
  /** While true the form is being sent and its buttons are disabled. */
  isBusy: boolean;
  /** While false the form can't be sent yet; cancelling stays possible. */
  isReady?: boolean;
  onCancel: () => void;
  /** "Save", unless the form does something else. */
  label?: ReactNode;
  busyLabel?: ReactNode;
}

/** The end of a form: a cancel button, and the one lit button that sends it. */
export function FormActions({
  className = "dialog-actions",
  isBusy,
  isReady = true,
  onCancel,
  ...labels
}: FormActionsProps) {
  const { label = <Trans id="action.save">Save</Trans> } = labels;
  const { busyLabel = <Trans id="action.saving">Saving…</Trans> } = labels;
  return (
    <div className={className}>
      <Button disabled={isBusy} onClick={onCancel}>
        <Trans id="action.cancel">Cancel</Trans>
      </Button>
      <Button type="submit" kind="lit" disabled={isBusy || !isReady}>
        {isBusy ? busyLabel : label}
      </Button>
    </div>
  );
}
