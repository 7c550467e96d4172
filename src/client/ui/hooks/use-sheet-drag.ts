import { type PointerEvent, type RefObject, useRef } from "react";

/** A sheet that was dragged less far goes back to where it was. */
const DRAG_PX = 60;

/** Moves a sheet with a finger at its top. @param onDragged how far it was dragged, in pixels, downward positive */
export function useSheetDrag(content: RefObject<HTMLElement | null>, onDragged: (moved: number) => void) {
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
