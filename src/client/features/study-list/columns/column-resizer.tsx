import { useLingui } from "@lingui/react/macro";
import type { KeyboardEvent } from "react";
import { useEdgeDrag } from "../../../ui/hooks/use-edge-drag.ts";
import { MAX_COLUMN_WIDTH_PX, MIN_COLUMN_WIDTH_PX } from "./column-layout.ts";

const STEP_PX = 10;
const BIG_STEP_PX = 50;

interface ColumnResizerProps {
  columnName: string;
  widthPx: number;
  /** Undefined restores the column's default width. `isOver` is false while the column is being dragged. */
  onResize: (widthPx?: number, isOver?: boolean) => void;
}

/** The line at a column's right edge. Dragging or the arrow keys resize the column; a double click restores its width. */
export function ColumnResizer({ columnName, widthPx, onResize }: ColumnResizerProps) {
  const { t } = useLingui();
  const widthOf = (resizer: HTMLElement) => drawnWidth(resizer) || widthPx;
  const drag = useEdgeDrag({ widthOf, grows: 1, onDrag: onResize });
  const step = (event: KeyboardEvent<HTMLElement>) => {
    const stepPx = event.shiftKey ? BIG_STEP_PX : STEP_PX;
    const currentPx = widthOf(event.currentTarget);
    if (event.key === "ArrowLeft") onResize(currentPx - stepPx);
    else if (event.key === "ArrowRight") onResize(currentPx + stepPx);
    else if (event.key === "Home") onResize(MIN_COLUMN_WIDTH_PX);
    else if (event.key === "Delete") onResize();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule that can be moved, which no element is
    <div
      className="column-resizer"
      role="separator"
      // The keys of the head change the width too, so the Tab key passes by.
      tabIndex={-1}
      aria-orientation="vertical"
      aria-label={t({ id: "column.resize", message: `Width of the column ${columnName}` })}
      aria-valuenow={widthPx}
      aria-valuemin={MIN_COLUMN_WIDTH_PX}
      aria-valuemax={MAX_COLUMN_WIDTH_PX}
      {...drag}
      onDoubleClick={() => onResize()}
      onKeyDown={step}
      // A drag that begins here resizes the column instead of moving it.
      onMouseDown={(event) => event.stopPropagation()}
      onTouchStart={(event) => event.stopPropagation()}
    />
  );
}

/** The flexible column is drawn wider than its stored minimum width. */
function drawnWidth(resizer: HTMLElement): number {
  return resizer.closest("th")?.offsetWidth ?? 0;
}
