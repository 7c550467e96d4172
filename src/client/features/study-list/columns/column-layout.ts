import * as z from "zod/mini";
import type { Role } from "../../../../shared/api/users.ts";

/** Columns that people may reorder, in their initial order. */
export const MOVABLE_COLUMNS = [
  "studyDate",
  "studyDescription",
  "modality",
  "imagesReceived",
  "seriesCount",
  "storageStatus",
  "laudo",
] as const;
export type MovableColumn = (typeof MOVABLE_COLUMNS)[number];

/** The patient stays first; the viewer and the actions stay last. */
const PINNED_FIRST = ["patientName"] as const;
const PINNED_LAST = ["viewer", "actions"] as const;
export type StudyColumn = MovableColumn | (typeof PINNED_FIRST)[number] | (typeof PINNED_LAST)[number];

export const MIN_COLUMN_WIDTH_PX = 80;
export const MAX_COLUMN_WIDTH_PX = 800;

/** This column takes the room that the others leave, until the person gives it a width. */
export const FLEXIBLE_COLUMN = "studyDescription";

/** The person's arrangement of the table: all movable columns in order, and the changed widths in pixels. */
export interface ColumnLayout {
  order: readonly MovableColumn[];
  widths: Readonly<Partial<Record<StudyColumn, number>>>;
}

export const defaultLayout: ColumnLayout = { order: MOVABLE_COLUMNS, widths: {} };

const keptLayoutSchema = z.object({
  order: z.array(z.string()).check(z.maxLength(50)),
  widths: z.record(z.string(), z.number()),
});

/**
 * Repairs a layout stored by this or another version: drops unknown columns, inserts missing ones at their place, brings
 * widths within the limits. Anything that is not a layout gives the default layout.
 */
export function parseColumnLayout(kept: unknown): ColumnLayout {
  const parsed = keptLayoutSchema.safeParse(kept);
  if (!parsed.success) return defaultLayout;
  const order = [...new Set(parsed.data.order.filter(isMovable))];
  for (const [place, column] of MOVABLE_COLUMNS.entries()) {
    if (!order.includes(column)) order.splice(place, 0, column);
  }
  const widths = Object.entries(parsed.data.widths)
    .filter(([column]) => isResizable(column))
    .map(([column, widthPx]) => [column, clampWidth(widthPx)]);
  return { order, widths: Object.fromEntries(widths) };
}

/** All columns in drawing order, including those that a role does not see. */
export function columnOrder({ order }: ColumnLayout): StudyColumn[] {
  return [...PINNED_FIRST, ...order, ...PINNED_LAST];
}

/** Moves `column` to the place of `target`; the columns between them shift. */
export function moveColumn(layout: ColumnLayout, column: MovableColumn, target: MovableColumn): ColumnLayout {
  const to = layout.order.indexOf(target);
  const order = layout.order.filter((other) => other !== column);
  order.splice(to, 0, column);
  return { ...layout, order };
}

/** Gives `column` a width within the limits; undefined restores its default width. */
export function resizeColumn(layout: ColumnLayout, column: StudyColumn, widthPx?: number): ColumnLayout {
  const { [column]: _before, ...others } = layout.widths;
  return {
    ...layout,
    widths: widthPx === undefined ? others : { ...others, [column]: clampWidth(widthPx) },
  };
}

/** Width in pixels; for the flexible column, its minimum width. */
export function columnWidth(layout: ColumnLayout, column: StudyColumn, room: TableRoom): number {
  return layout.widths[column] ?? ownWidth(column, room);
}

/** `roomy` has room for words beside codes; `tight` has icons instead of words, and a menu of actions beside sharing. */
export type Density = "roomy" | "plain" | "tight";

/** What decides how much room a column has. */
export interface TableRoom {
  role: Role;
  isWide: boolean;
  /** Whether the patient has a column. */
  hasPatients: boolean;
  density: Density;
  /** The browser's text size, 1 if it is 16 px. Columns of text grow with it. */
  textScale?: number;
}

/** The column of boxes while exams are chosen. */
export const SELECT_COLUMN_PX = 44;

/** How a table fits into its panel. */
export interface ColumnFit {
  density: Density;
  /** Columns that left for want of room. */
  left: readonly StudyColumn[];
}

/** They leave a table that is too wide, the first one first. The description's cell then shows the counts. */
const LEAVING = ["seriesCount", "imagesReceived", "storageStatus"] as const;

/**
 * Which columns stay, and how dense, so that the last ones do not cover the report. Only the columns' own widths decide: a width that
 * the person chose makes the table scroll instead. While exams are chosen, each exam's own actions leave last.
 */
export function fitColumns(
  columns: readonly StudyColumn[],
  room: Omit<TableRoom, "density">,
  panel: { widthPx: number | undefined; isSelecting?: boolean },
): ColumnFit {
  const { widthPx = Number.POSITIVE_INFINITY, isSelecting = false } = panel;
  const fits = ({ density, left }: ColumnFit) =>
    columns
      .filter((column) => !left.includes(column))
      .reduce(
        (sum, column) => sum + ownWidth(column, { ...room, density }),
        isSelecting ? SELECT_COLUMN_PX : 0,
      ) <= widthPx;
  const leaving = LEAVING.filter((column) => columns.includes(column));
  const steps: ColumnFit[] = [
    { density: "roomy", left: [] },
    ...[0, 1, 2, 3].map((count) => ({ density: "plain", left: leaving.slice(0, count) }) as const),
    { density: "tight", left: leaving },
  ];
  // What is done with the chosen exams stands in the bar below them.
  const last: ColumnFit = { density: "tight", left: isSelecting ? [...leaving, "actions"] : leaving };
  return steps.find(fits) ?? last;
}

export function isMovable(column: string): column is MovableColumn {
  return (MOVABLE_COLUMNS as readonly string[]).includes(column);
}

export function isResizable(column: string): column is StudyColumn {
  return isMovable(column) || (PINNED_FIRST as readonly string[]).includes(column);
}

const ownWidths: Record<StudyColumn, number> = {
  patientName: 136,
  studyDate: 112,
  studyDescription: 188,
  modality: 94,
  imagesReceived: 84,
  seriesCount: 80,
  storageStatus: 120,
  laudo: 116,
  viewer: 104,
  actions: 132,
};
const tightWidths: Partial<Record<StudyColumn, number>> = {
  patientName: 104,
  studyDate: 104,
  studyDescription: 166,
  modality: 84,
  laudo: 56,
  actions: 84,
};
/** Without a column for the patient, the date has the button that opens the row. */
const EXPANDER_PX = 32;
const roomyWidths: Partial<Record<StudyColumn, number>> = {
  studyDate: 152,
  studyDescription: 260,
  modality: 178,
};

/**
 * An admin's columns just fit beside the sidebar at 1,440 px. Without patients there are fewer, so they may be wider. The
 * viewer's button is an icon for an admin, and for everyone on a narrow screen.
 */
function ownWidth(column: StudyColumn, room: TableRoom): number {
  const { role, isWide, density, textScale = 1 } = room;
  if (column === "viewer" && (role === "admin" || !isWide)) return density === "tight" ? 56 : 68;
  const widthPx = widthOfText(column, room);
  return column === "actions" ? widthPx : Math.round(widthPx * textScale);
}

/** At a text size of 16 px. */
function widthOfText(column: StudyColumn, { hasPatients, density }: TableRoom): number {
  const widthPx = (density === "tight" ? tightWidths[column] : undefined) ?? ownWidths[column];
  if (hasPatients) return widthPx;
  if (density === "roomy") return roomyWidths[column] ?? widthPx;
  return column === "studyDate" ? widthPx + EXPANDER_PX : widthPx;
}

function clampWidth(widthPx: number): number {
  return Math.round(Math.min(MAX_COLUMN_WIDTH_PX, Math.max(MIN_COLUMN_WIDTH_PX, widthPx)));
}
