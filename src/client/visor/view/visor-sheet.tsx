import { useLingui } from "@lingui/react/macro";
import { Dialog as RadixDialog } from "radix-ui";
import { type ReactNode, type RefObject, useRef, useState } from "react";
import { IconButton } from "../../ui/button.tsx";
import { CloseIcon } from "../../ui/entry-icons.tsx";
import { useFocusReturn } from "../../ui/hooks/use-focus-return.ts";
import { useSheetDrag } from "../../ui/hooks/use-sheet-drag.ts";
import { LargerIcon, SmallerIcon } from "./icons.ts";

interface VisorSheetProps {
  title: ReactNode;
  detail?: ReactNode;
  actions?: ReactNode;
  /** Lets the film above go on being used. */
  isBeside?: boolean;
  /** Opens over the whole screen, as there is nothing above to see. */
  isFullAtFirst?: boolean;
  /** What has the focus afterwards; if absent, what had it before. */
  returnTo?: RefObject<Element | null> | undefined;
  onClose: () => void;
  children: ReactNode;
}

/** A sheet from the bottom on a phone, a panel at the right on a desktop. */
export function VisorSheet(props: VisorSheetProps) {
  const {
    title,
    detail,
    actions,
    isBeside = false,
    isFullAtFirst = false,
    returnTo,
    onClose,
    children,
  } = props;
  const { t } = useLingui();
  const focus = useFocusReturn(returnTo);
  const content = useRef<HTMLDivElement>(null);
  const [isFull, setFull] = useState(isFullAtFirst);
  const drag = useSheetDrag(content, (moved) => {
    if (moved < 0) setFull(isBeside);
    else if (isFull) setFull(false);
    else onClose();
  });
  return (
    <RadixDialog.Root open modal={!isBeside} onOpenChange={(open) => !open && onClose()}>
      {!isBeside && <RadixDialog.Overlay className="visor-scrim" />}
      <RadixDialog.Content
        ref={content}
        className={`visor-sheet ${isBeside ? "is-beside" : ""} ${isFull ? "is-full" : ""}`}
        aria-describedby={undefined}
        {...focus}
        onInteractOutside={(event) => isBeside && event.preventDefault()}
      >
        <div className="visor-sheet-top" {...drag}>
          <div className="visor-grab" aria-hidden="true" />
          <div className="visor-sheet-head">
            <div>
              <RadixDialog.Title className="visor-sheet-title">{title}</RadixDialog.Title>
              {detail && <p>{detail}</p>}
            </div>
            {actions}
            {isBeside && (
              <IconButton
                className="visor-sheet-full"
                label={t({ id: "visor.sheet.full", message: "Full screen" })}
                aria-pressed={isFull}
                onClick={() => setFull(!isFull)}
              >
                {isFull ? <SmallerIcon /> : <LargerIcon />}
              </IconButton>
            )}
            <IconButton label={t({ id: "action.close", message: "Close" })} onClick={onClose}>
              <CloseIcon />
            </IconButton>
          </div>
        </div>
        <div className="visor-sheet-body">{children}</div>
      </RadixDialog.Content>
    </RadixDialog.Root>
  );
}
