import * as z from "zod/mini";
import type { Role } from "../../../shared/api/users.ts";

/** Columns that the person may put in any order; this is the one they begin with. */
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

/** Whose the study is stays first, what can be done with it stays last. */
const PINNED_FIRST = ["patientName"] as const;
const PINNED_LAST = ["viewer", "actions"] as const;
export type StudyColumn = MovableColumn | (typeof PINNED_FIRST)[number] | (typeof PINNED_LAST)[number];

export const MIN_COLUMN_WIDTH_PX = 80;
export const MAX_COLUMN_WIDTH_PX = 800;

/** The column that takes what room the others leave, until the person gives it a width. */
export const FLEXIBLE_COLUMN = "studyDescription";

/** The table as the person arranged it: all movable columns, and the widths that the person changed, in pixels. */
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
 * A layout as it was kept, by this or another version: unknown columns are dropped, missing ones are put at
 * their place, widths brought within the limits. What is no layout at all gives the default one.
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

/** The columns of every table in the order to draw; which of them a role sees is another matter. */
export function columnOrder({ order }: ColumnLayout): StudyColumn[] {
  return [...PINNED_FIRST, ...order, ...PINNED_LAST];
}

/** Puts `column` where `target` stands; the columns between them move up. */
export function moveColumn(layout: ColumnLayout, column: MovableColumn, target: MovableColumn): ColumnLayout {
  const to = layout.order.indexOf(target);
  const order = layout.order.filter((other) => other !== column);
  order.splice(to, 0, column);
  return { ...layout, order };
}

/** Gives `column` a width within the limits; without one it gets its own back. */
export function resizeColumn(layout: ColumnLayout, column: StudyColumn, widthPx?: number): ColumnLayout {
  const { [column]: _before, ...others } = layout.widths;
  return {
    ...layout,
    widths: widthPx === undefined ? others : { ...others, [column]: clampWidth(widthPx) },
  };
}

/** In pixels; that of the flexible column is its least one. */
export function columnWidth(layout: ColumnLayout, column: StudyColumn, role: Role, isWide: boolean): number {
  return layout.widths[column] ?? ownWidth(column, role, isWide);
}

export function isMovable(column: string): column is MovableColumn {
  return (MOVABLE_COLUMNS as readonly string[]).includes(column);
}

export function isResizable(column: string): column is StudyColumn {
  return isMovable(column) || (PINNED_FIRST as readonly string[]).includes(column);
}

const ownWidths: Record<StudyColumn, number> = {
  patientName: 136,
  studyDate: 106,
  studyDescription: 204,
  modality: 94,
  imagesReceived: 84,
  seriesCount: 80,
  storageStatus: 120,
  laudo: 116,
  viewer: 104,
  actions: 132,
};

/**
 * An admin's columns just fit beside the sidebar at 1,440 px. A user has fewer, so what is in them may be wider.
 * The viewer's button is an icon for an admin, and for everyone where there is little room.
 */
function ownWidth(column: StudyColumn, role: Role, isWide: boolean): number {
  if (role === "user") {
    if (column === "studyDate") return 152;
    if (column === "studyDescription") return 260;
    if (column === "modality" && isWide) return 178;
  }
  return column === "viewer" && (role === "admin" || !isWide) ? 68 : ownWidths[column];
}

function clampWidth(widthPx: number): number {
  return Math.round(Math.min(MAX_COLUMN_WIDTH_PX, Math.max(MIN_COLUMN_WIDTH_PX, widthPx)));
}
