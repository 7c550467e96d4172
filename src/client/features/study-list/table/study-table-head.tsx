import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  MouseSensor,
  TouchSensor,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import { horizontalListSortingStrategy, SortableContext, useSortable } from "@dnd-kit/sortable";
import { useLingui } from "@lingui/react/macro";
import type { Header } from "@tanstack/react-table";
import type { KeyboardEvent, ReactNode, Ref } from "react";
import type { Study } from "../../../../shared/api/studies.ts";
import { ArrowDownIcon, GripIcon } from "../../../ui/icons.tsx";
import { type HeadKeys, useHeadKeys } from "../columns/column-keys.tsx";
import { isMovable, isResizable, type MovableColumn, type StudyColumn } from "../columns/column-layout.ts";
import { columnNames } from "../columns/column-names.ts";
import { ColumnResizer } from "../columns/column-resizer.tsx";
import { SelectPage } from "../selection/select-exams.tsx";
import type { studyTableFeatures } from "./study-table-features.ts";
import type { ColumnWidths, StudyTableModel } from "./use-study-table.ts";

type MoveColumn = (column: MovableColumn, target: MovableColumn) => void;
type ResizeColumn = (column: StudyColumn, widthPx?: number, isOver?: boolean) => void;

const silent = {
  onDragStart: () => undefined,
  onDragOver: () => undefined,
  onDragEnd: () => undefined,
  onDragCancel: () => undefined,
};

/**
 * Makes columns draggable. It wraps the table, because it draws elements that a table may not contain. The library's
 * announcements describe its own keyboard dragging, which the keys of the heads replace.
 */
export function ColumnDragging({ onMove, children }: { onMove: MoveColumn; children: ReactNode }) {
  const sensors = useSensors(
    // Dragging starts after a short distance or delay. Anything shorter is a click that sorts, or a scroll.
    useSensor(MouseSensor, { activationConstraint: { distance: 6 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 250, tolerance: 8 } }),
  );
  const drop = ({ active, over }: DragEndEvent) => {
    const [column, target] = [String(active.id), String(over?.id)];
    if (isMovable(column) && isMovable(target) && column !== target) onMove(column, target);
  };
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragEnd={drop}
      accessibility={{ announcements: silent, screenReaderInstructions: { draggable: "" } }}
    >
      {children}
    </DndContext>
  );
}

interface StudyTableHeadProps {
  table: StudyTableModel;
  widths: ColumnWidths;
  /** Id of the text that names the keys. */
  keysId: string;
  onMove: MoveColumn;
  onResize: ResizeColumn;
}

export function StudyTableHead({ table, widths, keysId, onMove, onResize }: StudyTableHeadProps) {
  const headers = table.getHeaderGroups()[0]?.headers ?? [];
  const columns = headers.map(({ column }) => column.id as StudyColumn);
  const movable = columns.filter(isMovable);
  const keys = useHeadKeys({ columns, widths, keysId, onMove, onResize });
  return (
    <thead>
      <tr>
        <SelectPage studies={table.options.data} />
        <SortableContext items={movable} strategy={horizontalListSortingStrategy}>
          {headers.map((header) => {
            const id = header.column.id as StudyColumn;
            const common = { header, widths, keys, onResize };
            return isMovable(id) ? (
              <MovableHead key={id} id={id} {...common} movable={movable} onMove={onMove} />
            ) : (
              <ColumnHead key={id} id={id} {...common} />
            );
          })}
        </SortableContext>
      </tr>
    </thead>
  );
}

interface ColumnHeadProps {
  header: Header<typeof studyTableFeatures, Study>;
  id: StudyColumn;
  widths: ColumnWidths;
  keys: HeadKeys;
  onResize: ResizeColumn;
}

interface MovableHeadProps extends ColumnHeadProps {
  id: MovableColumn;
  movable: MovableColumn[];
  onMove: MoveColumn;
}

function MovableHead({ movable, onMove, ...head }: MovableHeadProps) {
  const { i18n, t } = useLingui();
  const { setNodeRef, listeners, transform, transition, isDragging } = useSortable({ id: head.id });
  const name = i18n._(columnNames[head.id]);
  const step = (event: KeyboardEvent) => {
    const by = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (by === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const target = movable[movable.indexOf(head.id) + by];
    if (target) onMove(head.id, target);
  };
  const grip = (
    <button
      type="button"
      className="column-grip"
      // The keys of the head move the column too, so the Tab key passes by.
      tabIndex={-1}
      aria-label={t({ id: "column.move", message: `Move the column ${name} with the arrow keys` })}
      onKeyDown={step}
    >
      <GripIcon small />
    </button>
  );
  const drag = {
    ref: setNodeRef,
    className: isDragging ? "is-dragging" : "",
    style: { transform: transform ? `translateX(${transform.x}px)` : undefined, transition },
    ...listeners,
  };
  return <ColumnHead {...head} grip={grip} drag={drag} />;
}

interface Dragged {
  grip?: ReactNode;
  drag?: { ref: Ref<HTMLTableCellElement>; className: string; style: { transform?: string } };
}

function ColumnHead({ header, id, widths, keys, onResize, grip, drag }: ColumnHeadProps & Dragged) {
  const { i18n } = useLingui();
  const { column } = header;
  const sorted = column.getIsSorted();
  const direction = sorted === "asc" ? "ascending" : "descending";
  const name = i18n._(columnNames[id]);
  return (
    <th
      {...drag}
      className={`study-head ${drag?.className ?? ""}`}
      style={{ ...drag?.style, width: widths.isAuto(id) ? undefined : widths.of(id) }}
      scope="col"
      data-column={id}
      // Otherwise screen readers would read grip and handle as part of each cell's column name.
      aria-label={name}
      aria-sort={sorted ? direction : undefined}
      onKeyDown={keys.onKeyDown}
    >
      {grip}
      {isResizable(id) ? (
        <button
          type="button"
          className="study-sort"
          aria-disabled={column.getCanSort() ? undefined : true}
          onClick={column.getToggleSortingHandler()}
          {...keys.stopAt(id)}
        >
          <span>{name}</span>
          {sorted && <ArrowDownIcon small className={sorted === "asc" ? "rotate-180" : undefined} />}
        </button>
      ) : (
        <span className={id === "viewer" ? "sr-only" : undefined}>{name}</span>
      )}
      {isResizable(id) && (
        <ColumnResizer
          columnName={name}
          widthPx={widths.of(id)}
          onResize={(...width) => onResize(id, ...width)}
        />
      )}
    </th>
  );
}
