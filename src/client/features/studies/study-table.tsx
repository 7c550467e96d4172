import { type Row, type SortingState, useTable } from "@tanstack/react-table";
import { useAtomValue } from "jotai";
import { Fragment, useMemo } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { ArrowDownIcon } from "../../ui/icons.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useHis } from "../his/his-context.ts";
import { busyStudiesAtom } from "./list-actions.ts";
import { SeriesSheet, StudyIdentifiers } from "./series-sheet.tsx";
import { columnVisibility, studyColumns, studyTableFeatures } from "./study-columns.tsx";
import { STUDIES_PER_PAGE } from "./use-study-list.ts";

interface StudyTableProps {
  /** Undefined while they are loading: the table then has the shape of what comes. */
  studies: Study[] | undefined;
  sorting: SortingState;
  onSortingChange: (sorting: SortingState) => void;
}

type StudyTableModel = ReturnType<typeof useStudyTable>;

const NO_STUDIES: Study[] = [];

/** The list on a desk. */
export function StudyTable({ studies, sorting, onSortingChange }: StudyTableProps) {
  const { user } = useHis();
  const table = useStudyTable(studies ?? NO_STUDIES, sorting, onSortingChange);
  return (
    <div className="panel study-table-wrap">
      <table className={`study-table is-${user.role}`} aria-busy={studies === undefined}>
        <StudyTableHead table={table} />
        <tbody>
          {studies ? (
            table.getRowModel().rows.map((row) => <StudyRow key={row.id} row={row} table={table} />)
          ) : (
            <SkeletonRows columnIds={table.getVisibleLeafColumns().map(({ id }) => id)} />
          )}
        </tbody>
      </table>
    </div>
  );
}

function useStudyTable(data: Study[], sorting: SortingState, onSortingChange: (next: SortingState) => void) {
  const { role } = useHis().user;
  const visibility = useMemo(() => columnVisibility(role), [role]);
  return useTable({
    features: studyTableFeatures,
    columns: studyColumns,
    data,
    state: { sorting, columnVisibility: visibility },
    onSortingChange: (change) => onSortingChange(typeof change === "function" ? change(sorting) : change),
    getRowId: ({ id }) => id,
    getRowCanExpand: () => true,
    manualSorting: true,
    enableSortingRemoval: false,
    enableMultiSort: false,
    autoResetExpanded: false,
  });
}

function StudyTableHead({ table }: { table: StudyTableModel }) {
  return (
    <thead>
      {table.getHeaderGroups().map((group) => (
        <tr key={group.id}>
          {group.headers.map((header) => {
            const { column } = header;
            const sorted = column.getIsSorted();
            const direction = sorted === "asc" ? "ascending" : "descending";
            return (
              <th
                className="study-head"
                key={header.id}
                scope="col"
                data-column={column.id}
                aria-sort={sorted ? direction : undefined}
              >
                {column.getCanSort() ? (
                  <button type="button" className="study-sort" onClick={column.getToggleSortingHandler()}>
                    <table.FlexRender header={header} />
                    {sorted && (
                      <ArrowDownIcon small className={sorted === "asc" ? "rotate-180" : undefined} />
                    )}
                  </button>
                ) : (
                  <span className={column.id === "viewer" ? "sr-only" : undefined}>
                    <table.FlexRender header={header} />
                  </span>
                )}
              </th>
            );
          })}
        </tr>
      ))}
    </thead>
  );
}

function StudyRow({ row, table }: { row: Row<typeof studyTableFeatures, Study>; table: StudyTableModel }) {
  const isBusy = useAtomValue(busyStudiesAtom).has(row.id);
  const isOpen = row.getIsExpanded();
  const cells = row.getVisibleCells();
  return (
    <Fragment>
      <tr className={`study-row ${isOpen ? "is-open" : ""} ${isBusy ? "is-busy" : ""}`} aria-busy={isBusy}>
        {cells.map((cell) => (
          <td key={cell.id} className="study-cell" data-column={cell.column.id}>
            <table.FlexRender cell={cell} />
          </td>
        ))}
      </tr>
      {isOpen && (
        <tr>
          <td className="study-series-cell" colSpan={cells.length}>
            <div className="study-series">
              <SeriesSheet study={row.original} />
              <StudyIdentifiers study={row.original} />
            </div>
          </td>
        </tr>
      )}
    </Fragment>
  );
}

function SkeletonRows({ columnIds }: { columnIds: string[] }) {
  return Array.from({ length: STUDIES_PER_PAGE }, (_, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the places never move
    <tr key={place} className="study-row">
      {columnIds.map((id) => (
        <td key={id} className="study-cell" data-column={id}>
          {id === "studyDescription" ? (
            <div className="study-title">
              <Skeleton shape="film" />
              <Skeleton className="h-3 w-44" />
            </div>
          ) : (
            <Skeleton className="h-3 w-3/4" />
          )}
        </td>
      ))}
    </tr>
  ));
}
