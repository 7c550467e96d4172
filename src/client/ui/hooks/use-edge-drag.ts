import { type PointerEvent, useRef } from "react";

/** A panel's width while its edge is dragged: at each move, and once more as `isOver` where the pointer lets go. */
export type DragWidth = (widthPx: number, isOver: boolean) => void;

interface EdgeDragOptions {
  /** The width at the beginning, in CSS pixels. */
  widthOf: (edge: HTMLElement) => number;
  /** 1 if the panel grows with its edge to the right. */
  grows: 1 | -1;
  onDrag: DragWidth;
}

/** Handlers of an edge that the pointer drags sideways. A press without a move changes nothing. */
export function useEdgeDrag({ widthOf, grows, onDrag }: EdgeDragOptions) {
  const drag = useRef<{ fromX: number; fromPx: number; lastPx?: number }>(undefined);
  const end = () => {
    const lastPx = drag.current?.lastPx;
    drag.current = undefined;
    if (lastPx !== undefined) onDrag(lastPx, true);
  };
  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      drag.current = { fromX: event.clientX, fromPx: widthOf(event.currentTarget) };
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const { current } = drag;
      if (!current) return;
      current.lastPx = current.fromPx + grows * (event.clientX - current.fromX);
      onDrag(current.lastPx, false);
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
}
