import { type SortingState, useTable } from "@tanstack/react-table";
import { useAtom, useAtomValue } from "jotai";
import { useMemo } from "react";
import type { Study } from "../../../../shared/api/studies.ts";
import { useMediaQuery } from "../../../ui/hooks/use-media-query.ts";
import { useHis } from "../../session/his-context.ts";
import {
  type ColumnFit,
  type ColumnLayout,
  columnOrder,
  columnWidth,
  FLEXIBLE_COLUMN,
  fitColumns,
  SELECT_COLUMN_PX,
  type StudyColumn,
} from "../columns/column-layout.ts";
import { openStudiesAtom } from "../pages/list-place.ts";
import { selectionAtom } from "../selection/selection.ts";
import { columnVisibility, studyColumns } from "./study-columns.tsx";
import { studyTableFeatures } from "./study-table-features.ts";

/** The width from which the sidebar replaces the rail, as in the styles. */
const WIDE = "(min-width: 77.5625em)";

interface StudyTableState {
  studies: Study[];
  hasSeveralPatients: boolean;
  fit: ColumnFit;
  layout: ColumnLayout;
  sorting: SortingState;
  onSortingChange: (sorting: SortingState) => void;
}

/** The server sorts, filters and pages; the table only keeps the chosen sort and page, and which rows are expanded. */
export function useStudyTable(shown: StudyTableState) {
  const { studies, hasSeveralPatients, fit, layout, sorting, onSortingChange } = shown;
  const { role } = useHis().user;
  const visibility = useMemo(
    () => ({
      ...columnVisibility(role, hasSeveralPatients),
      ...Object.fromEntries(fit.left.map((column) => [column, false])),
    }),
    [role, hasSeveralPatients, fit],
  );
  const order = useMemo(() => columnOrder(layout), [layout]);
  const [expanded, setExpanded] = useAtom(openStudiesAtom);
  return useTable({
    features: studyTableFeatures,
    columns: studyColumns,
    data: studies,
    state: { sorting, expanded, columnVisibility: visibility, columnOrder: order },
    onSortingChange: (change) => onSortingChange(typeof change === "function" ? change(sorting) : change),
    onExpandedChange: (change) => {
      const next = typeof change === "function" ? change(expanded) : change;
      // The product never offers `true`, which would expand all rows.
      if (next !== true) setExpanded(next);
    },
    getRowId: ({ id }) => id,
    getRowCanExpand: () => true,
    manualSorting: true,
    enableSortingRemoval: false,
    enableMultiSort: false,
    autoResetExpanded: false,
  });
}

export type StudyTableModel = ReturnType<typeof useStudyTable>;

export interface ColumnWidths {
  /** Minimum width of the whole table, so that no column is squeezed; below it the panel scrolls. */
  leastPx: number;
  /** Chosen or default width in pixels; for the flexible column, its minimum width. */
  of: (column: StudyColumn) => number;
  /** Whether the column takes the room that the others leave. */
  isAuto: (column: StudyColumn) => boolean;
}

/** How the columns that the person may see fit into a panel of this width. */
export function useColumnFit(
  layout: ColumnLayout,
  hasSeveralPatients: boolean,
  widthPx: number | undefined,
): ColumnFit {
  const { role } = useHis().user;
  const isWide = useMediaQuery(WIDE);
  const isSelecting = useAtomValue(selectionAtom) !== undefined;
  return useMemo(() => {
    const visibility: Partial<Record<StudyColumn, boolean>> = columnVisibility(role, hasSeveralPatients);
    const columns = columnOrder(layout).filter((column) => visibility[column] !== false);
    const hasPatients = columns.includes("patientName");
    return fitColumns(
      columns,
      { role, isWide, hasPatients, textScale: textScale() },
      { widthPx, isSelecting },
    );
  }, [layout, hasSeveralPatients, role, isWide, widthPx, isSelecting]);
}

/** The widths of the columns. Once the flexible column has a width, the spare room is before the last columns. */
export function useColumnWidths(
  layout: ColumnLayout,
  columns: readonly StudyColumn[],
  { density }: ColumnFit,
): ColumnWidths {
  const { role } = useHis().user;
  const isWide = useMediaQuery(WIDE);
  const isSelecting = useAtomValue(selectionAtom) !== undefined;
  const hasPatients = columns.includes("patientName");
  const room = { role, isWide, hasPatients, density, textScale: textScale() };
  const of = (column: StudyColumn) => columnWidth(layout, column, room);
  const autoColumn = layout.widths[FLEXIBLE_COLUMN] === undefined ? FLEXIBLE_COLUMN : "viewer";
  return {
    leastPx: columns.reduce((sum, column) => sum + of(column), isSelecting ? SELECT_COLUMN_PX : 0),
    of,
    isAuto: (column) => column === autoColumn,
  };
}

/** Of the page; 1 is a text size of 16 px. */
function textScale(): number {
  const sizePx = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return sizePx > 0 ? sizePx / 16 : 1;
}
