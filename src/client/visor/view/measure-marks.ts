import type { I18n } from "@lingui/core";
import { isWhole, type Measure } from "../core/measures.ts";
import { ellipseOf } from "../core/regions.ts";
import type { Ellipse } from "../core/ultrasound-regions.ts";
import { type Placement, type Point, toScreen } from "../draw/placement.ts";
import { type MeasuredPicture, measureLines } from "./measure-texts.ts";

/** A measure as it is drawn over the film, in CSS pixels. */
export interface Mark {
  points: Point[];
  ellipse: Ellipse | undefined;
  lines: string[];
  /** The base of the first line, and which end of each line is there. */
  label: Point & { end: "left" | "right" };
}

/** The film that is drawn over, in CSS pixels; `letterPx` is the height of letters. */
export interface MarkedFilm {
  width: number;
  height: number;
  letterPx: number;
}

/** Colours that no grey image has. */
export const MARK_COLOURS = { line: "#7cdce7", text: "#bfeff4", edge: "#000" } as const;
export const MARK_PX = { line: 1.5, edge: 3, dot: 3 } as const;
export const LINE_HEIGHT = 1.25;

/** Letters of the mono font, with the space between them, by their height. */
const LETTER_WIDTH = 8 / 13;
/** What else is written over the film: the number of the slider at the right, letters of the patient's sides above, the window below. */
const EDGES_PX = { left: 8, right: 72, top: 30, bottom: 44 };
const LABEL_OFF_PX = 8;

interface MarksOptions extends MeasuredPicture {
  placement: Placement;
  film: MarkedFilm;
}

/** The measures of the slice that is shown, the oldest first. */
export function measureMarks(
  measures: readonly Measure[],
  { placement, film, ...picture }: MarksOptions,
  i18n: I18n,
): Mark[] {
  const taken: Box[] = [];
  return measuresOf(measures, picture).map((measure) => {
    const points = measure.points.map((point) => toScreen(placement, point));
    const lines = measureLines(measure, picture, i18n);
    const ellipse = measure.kind === "region" && isWhole(measure) ? ellipseOf(points) : undefined;
    const size = sizeOf(lines, film);
    const label = ellipse ? besideEllipse(ellipse, size, film, taken) : afterLast(points, size, film);
    taken.push(boxOf(label, size, film));
    return { points: ellipse ? [] : points, ellipse, lines, label };
  });
}

export function measuresOf(
  measures: readonly Measure[],
  { shown }: Pick<MeasuredPicture, "shown">,
): Measure[] {
  return measures.filter(({ sliceKey }) => sliceKey === shown.slice.key);
}

interface Size {
  across: number;
  high: number;
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

function sizeOf(lines: readonly string[], { letterPx }: MarkedFilm): Size {
  const letters = Math.max(0, ...lines.map(({ length }) => length));
  return { across: letters * letterPx * LETTER_WIDTH, high: lines.length * letterPx * LINE_HEIGHT };
}

function boxOf({ x, y, end }: Mark["label"], { across, high }: Size, { letterPx }: MarkedFilm): Box {
  const left = end === "left" ? x : x - across;
  return { left, right: left + across, top: y - letterPx, bottom: y - letterPx + high };
}

function afterLast(points: readonly Point[], { across }: Size, { width }: MarkedFilm): Mark["label"] {
  const last = points.at(-1) ?? { x: 0, y: 0 };
  const isRight = last.x + across + EDGES_PX.right < width || last.x < across;
  return {
    x: last.x + (isRight ? LABEL_OFF_PX : -LABEL_OFF_PX),
    y: last.y - LABEL_OFF_PX,
    end: isRight ? "left" : "right",
  };
}

/** How many texts the text of a region makes way for. */
const MAX_AVOIDED = 8;

/**
 * Above an ellipse in the upper half of the film, else below: never over the middle, where a person looks. On its other side where
 * another text is there, and beside that one where both are taken.
 */
function besideEllipse(
  { x, y, down }: Ellipse,
  size: Size,
  film: MarkedFilm,
  taken: readonly Box[],
): Mark["label"] {
  const { across, high } = size;
  const { width, height, letterPx } = film;
  const above = y - down - LABEL_OFF_PX - high;
  const below = y + down + LABEL_OFF_PX;
  const isUpper = y < height / 2;
  const left = Math.max(EDGES_PX.left, Math.min(x - across / 2, width - EDGES_PX.right - across));
  const at = (top: number): Mark["label"] => {
    const lowest = height - EDGES_PX.bottom - high;
    return { x: left, y: Math.max(EDGES_PX.top, Math.min(top, lowest)) + letterPx, end: "left" };
  };
  const [usual, other] = isUpper ? [at(above), at(below)] : [at(below), at(above)];
  const middle = { left: width / 2, right: width / 2, top: height / 2, bottom: height / 2 };
  const isFree = (label: Mark["label"], around: readonly Box[]) =>
    !around.some((box) => overlap(boxOf(label, size, film), box));
  if (isFree(usual, taken)) return usual;
  const besideOthers = taken
    .slice(-MAX_AVOIDED)
    .flatMap((box) => [at(box.bottom), at(box.top - high)])
    .sort((one, another) => Math.abs(one.y - usual.y) - Math.abs(another.y - usual.y));
  return [other, ...besideOthers].find((label) => isFree(label, [...taken, middle])) ?? usual;
}

function overlap(one: Box, other: Box): boolean {
  const isBeside = one.right < other.left || other.right < one.left;
  return !isBeside && one.bottom > other.top && other.bottom > one.top;
}
