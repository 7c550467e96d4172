import { useLingui } from "@lingui/react/macro";
import { Dialog as RadixDialog } from "radix-ui";
import { type PointerEvent, type ReactNode, type RefObject, useRef, useState } from "react";
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

/** A sheet that was dragged less far goes back to where it was. */
const DRAG_PX = 60;

/** A sheet from the bottom on a phone, a panel at the right on a desktop. */
export function VisorSheet({ title, detail, actions, isBeside = false, onClose, children }: VisorSheetProps) {
  const { t } = useLingui();
  const content = useRef<HTMLDivElement>(null);
  const [isFull, setFull] = useState(false);
  const drag = useSheetDrag(content, (moved) => {
    if (moved < -DRAG_PX) setFull(isBeside);
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

/** Moves the sheet with a finger at its top. @param onDragged how far it was dragged, in pixels, downward positive */
function useSheetDrag(content: RefObject<HTMLElement | null>, onDragged: (moved: number) => void) {
  const begun = useRef<number>(undefined);
  const moveTo = (moved: number) => {
    if (content.current) content.current.style.translate = moved > 0 ? `0 ${moved}px` : "";
  };
  const end = () => {
    begun.current = undefined;
    moveTo(0);
  };
  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      const isButton = event.target instanceof Element && event.target.closest("button, a");
      if (event.pointerType === "mouse" || isButton) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      begun.current = event.clientY;
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      if (begun.current !== undefined) moveTo(event.clientY - begun.current);
    },
    onPointerUp(event: PointerEvent<HTMLElement>) {
      if (begun.current === undefined) return;
      const moved = event.clientY - begun.current;
      end();
      if (Math.abs(moved) > DRAG_PX) onDragged(moved);
    },
    onPointerCancel: end,
  };
}
