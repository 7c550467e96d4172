import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";

interface FormActionsProps {
  className?: string;
  /** While true the form is on its way and can't be answered again. */
  isBusy: boolean;
  /** While false it can't be sent yet; the way out stays. */
  isReady?: boolean;
  onCancel: () => void;
  /** "Save", unless the form does something else. */
  label?: ReactNode;
  busyLabel?: ReactNode;
}

/** What a form ends with: the way out, and the one lit button that sends it. */
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
