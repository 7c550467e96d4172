import { useLingui } from "@lingui/react/macro";
import type { Row, SortingState } from "@tanstack/react-table";
import { useAtomValue } from "jotai";
import { Fragment, useId, useRef, useState } from "react";
import type { Study } from "../../../../shared/api/studies.ts";
import { useWidth } from "../../../ui/hooks/use-width.ts";
import { isBesideControls } from "../../../ui/is-beside-controls.ts";
import { useHis } from "../../session/his-context.ts";
import { busyStudiesAtom } from "../../studies/busy-studies.ts";
import { IsTight } from "../actions/actions-cell.tsx";
import { RenameButton } from "../actions/rename-study.tsx";
import { ColumnKeys } from "../columns/column-keys.tsx";
import {
  isMovable,
  type MovableColumn,
  moveColumn,
  resizeColumn,
  type StudyColumn,
} from "../columns/column-layout.ts";
import { columnNames } from "../columns/column-names.ts";
import { useColumnLayout } from "../columns/use-column-layout.ts";
import { FailedTransfer } from "../open-study/failed-transfer.tsx";
import { SeriesSheet, StudyIdentifiers } from "../open-study/series-sheet.tsx";
import { StudyCheck } from "../open-study/study-check.tsx";
import { rowOf } from "../pages/use-new-arrivals.ts";
import { SelectCell, useSelected } from "../selection/select-exams.tsx";
import { StudyWhose } from "./study-cells.tsx";
import { SkeletonRows } from "./study-skeleton.tsx";
import type { studyTableFeatures } from "./study-table-features.ts";
import { ColumnDragging, StudyTableHead } from "./study-table-head.tsx";
import { type StudyTableModel, useColumnFit, useColumnWidths, useStudyTable } from "./use-study-table.ts";

interface StudyTableProps {
  /** Undefined while they are loading; the table then shows a skeleton. */
  studies: Study[] | undefined;
  /** Whether these are the studies of the page before, while the asked one is read. */
  isReading: boolean;
  hasSeveralPatients: boolean;
  sorting: SortingState;
  onSortingChange: (sorting: SortingState) => void;
}

const NO_STUDIES: Study[] = [];

/** The list on a desktop. People can reorder and resize its columns. */
export function StudyTable({ studies, isReading, hasSeveralPatients, ...order }: StudyTableProps) {
  const { i18n, t } = useLingui();
  const { role } = useHis().user;
  const [layout, setLayout] = useColumnLayout();
  const [announced, setAnnounced] = useState("");
  const panel = useRef<HTMLDivElement>(null);
  const keysId = useId();
  const fit = useColumnFit(layout, hasSeveralPatients, useWidth(panel));
  const table = useStudyTable({
    studies: studies ?? NO_STUDIES,
    hasSeveralPatients,
    fit,
    layout,
    ...order,
  });
  const columns = table.getVisibleLeafColumns().map(({ id }) => id as StudyColumn);
  const widths = useColumnWidths(layout, columns, fit);

  const move = (column: MovableColumn, target: MovableColumn) => {
    setLayout(moveColumn(layout, column, target));
    const name = i18n._(columnNames[column]);
    const movable = columns.filter(isMovable);
    const [place, count] = [movable.indexOf(target) + 1, movable.length];
    setAnnounced(t({ id: "column.moved", message: `${name}: column ${place} of ${count}` }));
  };
  return (
    <ColumnDragging onMove={move}>
      <div className="panel study-table-wrap" ref={panel}>
        <table
          className={`study-table is-${role} is-${fit.density} ${columns.includes("patientName") ? "has-patients" : ""} ${isReading ? "is-reading" : ""}`}
          style={{ minWidth: widths.leastPx }}
          aria-busy={studies === undefined || isReading}
        >
          <StudyTableHead
            table={table}
            widths={widths}
            keysId={keysId}
            onMove={move}
            onResize={(column, widthPx, isOver) => setLayout(resizeColumn(layout, column, widthPx), isOver)}
          />
          <IsTight value={fit.density === "tight"}>
            <tbody>
              {studies ? (
                table.getRowModel().rows.map((row) => <StudyRow key={row.id} row={row} table={table} />)
              ) : (
                <SkeletonRows columns={columns} />
              )}
            </tbody>
          </IsTight>
        </table>
      </div>
      <ColumnKeys id={keysId} />
      <span className="sr-only" role="status">
        {announced}
      </span>
    </ColumnDragging>
  );
}

function StudyRow({ row, table }: { row: Row<typeof studyTableFeatures, Study>; table: StudyTableModel }) {
  const isBusy = useAtomValue(busyStudiesAtom).has(row.id);
  const isOpen = row.getIsExpanded();
  const cells = row.getVisibleCells();
  const selected = useSelected(row.original);
  return (
    <Fragment>
      {/* For a mouse; the row has a button that does the same. */}
      <tr
        className={`study-row ${isOpen ? "is-open" : ""} ${selected?.isSelected ? "is-selected" : ""} ${isBusy ? "is-busy" : ""}`}
        aria-busy={isBusy}
        {...rowOf(row.id)}
        onClick={({ target }) => {
          if (!isBesideControls(target)) return;
          if (!selected) row.toggleExpanded();
          else if (!selected.isFull) selected.toggle();
        }}
      >
        <SelectCell study={row.original} />
        {cells.map((cell) => (
          <td key={cell.id} className="study-cell" data-column={cell.column.id}>
            <table.FlexRender cell={cell} />
          </td>
        ))}
      </tr>
      {isOpen && (
        <tr>
          <td className="study-series-cell" colSpan={cells.length + (selected ? 1 : 0)}>
            <StudyWhose study={row.original} />
            <div className="study-series">
              <SeriesSheet study={row.original} />
              <StudyIdentifiers study={row.original} />
            </div>
            <RenameButton study={row.original} />
            <StudyCheck study={row.original} />
            <FailedTransfer study={row.original} />
          </td>
        </tr>
      )}
    </Fragment>
  );
}
