/** Half the width of the rib cage at each rib, in mm, from the top. */
const RIB_HALF_WIDTHS = [60, 88, 108, 121, 130, 136, 140, 142, 141, 137];
const TOP_RIB_Z = 138;

/** From one rib to the next in mm; the vertebrae have the same step. */
export const RIB_STEP = 24.5;

const STEPS = 26;
const BACK_STEPS = 14;

/** `[x, y, z]` in mm: to the left, to the back, upwards. */
export type RibPoint = readonly [x: number, y: number, z: number];

/**
 * The centre lines of the ribs of both sides, each from the spine around the back to the front.
 * `middleY` is how far behind the middle of the cage the widest point lies.
 */
export function* ribPath(middleY = 0): Generator<readonly RibPoint[], void, undefined> {
  for (const [rib, halfWidth] of RIB_HALF_WIDTHS.entries()) {
    for (const side of [-1, 1]) {
      yield Array.from({ length: STEPS }, (_, i) =>
        ribPoint(rib, halfWidth, side, ribAngle(rib, i), middleY),
      );
    }
  }
}

/** Splits a rib where it turns from the back to the front. */
export function splitRib(path: readonly RibPoint[]): {
  back: readonly RibPoint[];
  front: readonly RibPoint[];
} {
  return { back: path.slice(0, BACK_STEPS + 1), front: path.slice(BACK_STEPS) };
}

function ribAngle(rib: number, step: number): number {
  const quarter = Math.PI / 2;
  if (step <= BACK_STEPS) return 0.06 + (step * (quarter - 0.06)) / BACK_STEPS;
  return quarter + ((step - BACK_STEPS) * (rib < 1 ? 0.9 : 0.66)) / (STEPS - 1 - BACK_STEPS);
}

function ribPoint(rib: number, halfWidth: number, side: number, angle: number, middleY: number): RibPoint {
  const fall = (30 + 9 * rib) * ((1 - Math.cos(angle)) / 2) ** 1.25;
  const depth = 26 + halfWidth * 0.46;
  return [
    side * (14 + (halfWidth - 8) * Math.sin(angle) ** 0.82),
    middleY * Math.max(0, Math.cos(angle)) + depth * Math.cos(angle) * 0.82,
    TOP_RIB_Z - rib * RIB_STEP + 9 * Math.sin(angle * 2.1) - fall,
  ];
}
