import type { ViewTurn } from "../draw/placement.ts";
import type { Directions, Vector } from "./geometry.ts";

/** Directions in the patient: right, left, anterior, posterior, superior, inferior. */
export type Side = "R" | "L" | "A" | "P" | "S" | "I";

const SIDES: readonly (readonly [plus: Side, minus: Side])[] = [
  ["L", "R"],
  ["P", "A"],
  ["S", "I"],
];
/** A direction that differs from an axis by more than this also names the next axis. */
const OBLIQUE = 0.4;

/** What lies at the left and at the top of the screen (PS3.3 §C.7.6.1.1.1). */
export function edgesOf(
  directions: Directions,
  { quarters, isFlipped }: Pick<ViewTurn, "quarters" | "isFlipped">,
): { left: Side[]; top: Side[] } {
  const { row, column } = directions;
  const right = isFlipped ? negative(row) : row;
  // Clockwise from the right of the unturned picture: right, bottom, left, top.
  const around = [right, column, negative(right), negative(column)];
  const at = (place: number) => around[(((place - quarters) % 4) + 4) % 4] ?? right;
  return { left: sidesOf(at(2)), top: sidesOf(at(3)) };
}

function sidesOf(direction: Vector): Side[] {
  return direction
    .map((part, axis) => ({ part, pair: SIDES[axis] }))
    .filter(({ part }) => Math.abs(part) > OBLIQUE)
    .sort((a, b) => Math.abs(b.part) - Math.abs(a.part))
    .slice(0, 2)
    .flatMap(({ part, pair }) => (pair ? [part > 0 ? pair[0] : pair[1]] : []));
}

function negative([x, y, z]: Vector): Vector {
  return [-x, -y, -z];
}
