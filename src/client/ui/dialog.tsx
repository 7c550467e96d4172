import { Trans, useLingui } from "@lingui/react/macro";
import { AlertDialog as RadixAlertDialog, Dialog as RadixDialog } from "radix-ui";
import type { ReactNode, RefObject } from "react";
import { Button, IconButton } from "./button.tsx";
import { CloseIcon } from "./entry-icons.tsx";
import { useFocusReturn } from "./hooks/use-focus-return.ts";
import { useSecondPress } from "./hooks/use-second-press.ts";
import { WholeDates } from "./text/whole-dates.tsx";

interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  text?: ReactNode;
  wide?: boolean;
  /** Whether a cross in the corner closes it, where no button below does. */
  hasCross?: boolean;
  /** Beside the rest, on a phone above it: the QR code that the dialog is about. */
  picture?: ReactNode;
  /** What gets the focus in the end, where another dialog opened this one. */
  returnTo?: RefObject<Element | null>;
  children: ReactNode;
}

/**
 * A dialog with a title and the caller's content, which scrolls between the head and its `.dialog-actions`; a sheet on a phone.
 * Escape and a click outside close it.
 */
export function Dialog(props: DialogProps) {
  const { open, onOpenChange, title, text, wide, hasCross, picture, returnTo, children } = props;
  const focusReturn = useFocusReturn(returnTo);
  useSecondPress(open);
  const marks = [wide && "is-wide", hasCross && "has-cross", picture && "has-picture"].filter(Boolean);
  return (
    <RadixDialog.Root open={open} onOpenChange={onOpenChange}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="scrim">
          <RadixDialog.Content
            className={`dialog is-sheet ${marks.join(" ")}`}
            {...focusReturn}
            {...(!text && { "aria-describedby": undefined })}
          >
            {picture}
            <div className="dialog-head">
              <RadixDialog.Title className="dialog-title">{title}</RadixDialog.Title>
              {text && (
                <RadixDialog.Description className="dialog-text">
                  <WholeDates>{text}</WholeDates>
                </RadixDialog.Description>
              )}
            </div>
            <div className="dialog-body">{children}</div>
            {hasCross && <Cross />}
          </RadixDialog.Content>
        </RadixDialog.Overlay>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

/** Last in the order of focus, so that the dialog begins with what it is about. */
function Cross() {
  const { t } = useLingui();
  return (
    <RadixDialog.Close asChild>
      <IconButton label={t({ id: "action.close", message: "Close" })} className="dialog-cross">
        <CloseIcon />
      </IconButton>
    </RadixDialog.Close>
  );
}

interface ConfirmDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  text: ReactNode;
  /** Says what will be lost and what it costs. */
  children?: ReactNode;
  /** "Cancel", unless the action itself is a cancellation. */
  dismissLabel?: ReactNode;
  confirmLabel: ReactNode;
  /** `lit` if the action loses nothing. */
  confirmKind?: "destroy" | "lit";
  onConfirm: () => void;
  /** While false the action can't be confirmed yet. */
  isReady?: boolean;
  /** While true the dialog's buttons are disabled. */
  busy?: boolean;
}

/** Asks for confirmation before something is lost or settled. Focus starts on Cancel; a click outside does nothing. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open, onOpenChange, title, text, children, confirmLabel, onConfirm } = props;
  const { dismissLabel = <Trans id="action.cancel">Cancel</Trans>, isReady = true, busy = false } = props;
  const { confirmKind = "destroy" } = props;
  const focusReturn = useFocusReturn();
  useSecondPress(open);
  return (
    <RadixAlertDialog.Root open={open} onOpenChange={onOpenChange}>
      <RadixAlertDialog.Portal>
        <RadixAlertDialog.Overlay className="scrim">
          <RadixAlertDialog.Content className="dialog" {...focusReturn}>
            <RadixAlertDialog.Title className="dialog-title">{title}</RadixAlertDialog.Title>
            <RadixAlertDialog.Description className="dialog-text">
              <WholeDates>{text}</WholeDates>
            </RadixAlertDialog.Description>
            {children}
            <div className="dialog-actions">
              <RadixAlertDialog.Cancel asChild>
                <Button disabled={busy}>{dismissLabel}</Button>
              </RadixAlertDialog.Cancel>
              <Button kind={confirmKind} disabled={busy || !isReady} onClick={onConfirm}>
                {confirmLabel}
              </Button>
            </div>
          </RadixAlertDialog.Content>
        </RadixAlertDialog.Overlay>
      </RadixAlertDialog.Portal>
    </RadixAlertDialog.Root>
  );
}
