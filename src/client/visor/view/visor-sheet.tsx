import { useLingui } from "@lingui/react/macro";
import { Dialog as RadixDialog } from "radix-ui";
import type { ReactNode } from "react";
import { IconButton } from "../../ui/button.tsx";
import { CloseIcon } from "../../ui/entry-icons.tsx";

interface VisorSheetProps {
  title: ReactNode;
  detail?: ReactNode;
  actions?: ReactNode;
  /** Lets the film above go on being used. */
  isBeside?: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** A sheet from the bottom on a phone, a panel at the right on a desktop. */
export function VisorSheet({ title, detail, actions, isBeside = false, onClose, children }: VisorSheetProps) {
  const { t } = useLingui();
  return (
    <RadixDialog.Root open modal={!isBeside} onOpenChange={(open) => !open && onClose()}>
      {!isBeside && <RadixDialog.Overlay className="visor-scrim" />}
      <RadixDialog.Content
        className={`visor-sheet ${isBeside ? "is-beside" : ""}`}
        aria-describedby={undefined}
        onInteractOutside={(event) => isBeside && event.preventDefault()}
      >
        <div className="visor-grab" aria-hidden="true" />
        <div className="visor-sheet-head">
          <div>
            <RadixDialog.Title className="visor-sheet-title">{title}</RadixDialog.Title>
            {detail && <p>{detail}</p>}
          </div>
          {actions}
          <IconButton label={t({ id: "action.close", message: "Close" })} onClick={onClose}>
            <CloseIcon />
          </IconButton>
        </div>
        <div className="visor-sheet-body">{children}</div>
      </RadixDialog.Content>
    </RadixDialog.Root>
  );
}
