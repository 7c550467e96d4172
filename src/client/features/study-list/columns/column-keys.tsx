import { Trans } from "@lingui/react/macro";
import { type ComponentProps, type KeyboardEvent, useState } from "react";
import type { ColumnWidths } from "../table/use-study-table.ts";
import { isMovable, isResizable, type MovableColumn, type StudyColumn } from "./column-layout.ts";

const WIDTH_STEP_PX = 10;

/** What the keyboard does in the row of heads, which the Tab key enters once. */
export interface HeadKeys {
  /** For the head itself. */
  onKeyDown: (event: KeyboardEvent<HTMLTableCellElement>) => void;
  /** For the button that stands for the column: the one of them that the Tab key reaches is where the focus was last. */
  stopAt: (column: StudyColumn) => ComponentProps<"button">;
}

interface KeyedHeads {
  columns: readonly StudyColumn[];
  widths: ColumnWidths;
  keysId: string;
  onMove: (column: MovableColumn, target: MovableColumn) => void;
  onResize: (column: StudyColumn, widthPx?: number) => void;
}

/** Arrows go from head to head, with Shift they move the column; `+` and `-` change its width, `0` takes that back. */
export function useHeadKeys({ columns, widths, keysId, onMove, onResize }: KeyedHeads): HeadKeys {
  const stops = columns.filter(isResizable);
  const [last, setLast] = useState<StudyColumn>();
  const current = last !== undefined && stops.includes(last) ? last : stops[0];

  const step = (column: StudyColumn, by: -1 | 1, row: Element | null) => {
    const next = stops[stops.indexOf(column) + by];
    if (next) row?.querySelector<HTMLElement>(`[data-column="${next}"] .study-sort`)?.focus();
  };
  const move = (column: StudyColumn, by: -1 | 1) => {
    const movable = columns.filter(isMovable);
    if (!isMovable(column)) return;
    const target = movable[movable.indexOf(column) + by];
    if (target) onMove(column, target);
  };
  return {
    onKeyDown(event) {
      const { key, shiftKey, currentTarget } = event;
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const column = stops.find((stop) => stop === currentTarget.dataset.column);
      if (!column) return;
      const by = key === "ArrowLeft" ? -1 : key === "ArrowRight" ? 1 : 0;
      const widen = key === "-" ? -1 : key === "+" || key === "=" ? 1 : 0;
      const drawnPx = currentTarget.offsetWidth || widths.of(column);
      if (by !== 0) shiftKey ? move(column, by) : step(column, by, currentTarget.parentElement);
      else if (widen !== 0) onResize(column, drawnPx + widen * WIDTH_STEP_PX);
      else if (key === "0") onResize(column);
      else return;
      event.preventDefault();
    },
    stopAt: (column) => ({
      tabIndex: column === current ? 0 : -1,
      "aria-describedby": keysId,
      onFocus: () => setLast(column),
    }),
  };
}

/** Names the keys to screen readers, and to everyone while the keyboard is in the heads. */
export function ColumnKeys({ id }: { id: string }) {
  return (
    <p className="column-keys" id={id}>
      <Trans id="column.keys">
        Arrow keys: another column. Shift and arrow keys: move this column. + and −: its width. 0: its width
        as it was.
      </Trans>
    </p>
  );
}
