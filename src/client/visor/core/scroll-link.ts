import { dot, normalOf } from "./geometry.ts";
import type { Stack } from "./stacks.ts";
import type { VisorModel, VisorState } from "./visor-model.ts";

/** A stack and the index of its seen slice. */
export interface Place {
  stack: Stack;
  index: number;
}

/**
 * Finds the slice of `to` that goes with a slice of `from`; both places belong together.
 * Stacks of one frame of reference: the same position in the patient. Stacks of one direction: as many millimetres from the place as
 * there. Others: the same share of the stack.
 */
export function createFollower(from: Place, to: Place): (index: number) => number {
  const last = to.stack.slices.length - 1;
  const there = locationsOf(to.stack);
  const here = locationsOf(from.stack);
  const way = here && there ? sameWay(from.stack, to.stack) : 0;
  if (!here || !there || way === 0) {
    const rate = last / Math.max(1, from.stack.slices.length - 1);
    return (index) => clamp(Math.round(to.index + (index - from.index) * rate), last);
  }
  if (isOneSpace(from.stack, to.stack)) return (index) => nearest(there, way * (here[index] ?? 0), to.index);
  const [startHere, startThere] = [here[from.index] ?? 0, there[to.index] ?? 0];
  return (index) => nearest(there, startThere + way * ((here[index] ?? startHere) - startHere), to.index);
}

/**
 * Scrolls each of two models with the other one. A stack that is shown later goes to the place of the one that stood.
 * @returns what ends it
 */
export function linkScroll(one: VisorModel, other: VisorModel): () => void {
  let isFollowing = false;
  let linked: { stacks: [Stack, Stack]; toOther: Follow; toOne: Follow } | undefined;

  function follow(lead: VisorModel, trail: VisorModel): void {
    if (isFollowing) return;
    const [from, to] = [placeOf(one.state), placeOf(other.state)];
    if (!from || !to) return;
    const isNew = linked?.stacks[0] !== from.stack || linked.stacks[1] !== to.stack;
    if (isNew || !linked) {
      linked = {
        stacks: [from.stack, to.stack],
        toOther: createFollower(from, to),
        toOne: createFollower(to, from),
      };
    }
    const moved = isNew ? lead : trail;
    const leading = isNew ? trail : lead;
    const index = (moved === other ? linked.toOther : linked.toOne)(leading.state.index);
    isFollowing = true;
    moved.seek(index);
    isFollowing = false;
  }

  const ends = [one.subscribe(() => follow(one, other)), other.subscribe(() => follow(other, one))];
  follow(other, one);
  return () => {
    for (const end of ends) end();
  };
}

type Follow = ReturnType<typeof createFollower>;

function placeOf({ stack, index }: VisorState): Place | undefined {
  return stack && { stack, index };
}

/** Millimetres along the normal of each slice; undefined if one of them has none. */
function locationsOf({ slices }: Stack): number[] | undefined {
  const locations = slices.map(({ geometry }) => geometry.location);
  return locations.every((location) => location !== undefined) ? locations : undefined;
}

/** Normals that differ by less than eight degrees. */
const PARALLEL = 0.99;

/** 1: the stacks grow in one direction, -1: in opposite ones, 0: neither. */
function sameWay({ slices: [a] }: Stack, { slices: [b] }: Stack): -1 | 0 | 1 {
  const [one, other] = [a?.geometry.plane, b?.geometry.plane];
  if (!one || !other) return 0;
  const cosine = dot(normalOf(one), normalOf(other));
  return cosine > PARALLEL ? 1 : cosine < -PARALLEL ? -1 : 0;
}

function isOneSpace({ slices: [a] }: Stack, { slices: [b] }: Stack): boolean {
  const space = a?.geometry.frameOfReferenceUID;
  return space !== undefined && space === b?.geometry.frameOfReferenceUID;
}

/** The index of the nearest location; `fallback` if none is near anything. */
function nearest(locations: readonly number[], wanted: number, fallback: number): number {
  let [best, distance] = [fallback, Number.POSITIVE_INFINITY];
  for (const [index, location] of locations.entries()) {
    const apart = Math.abs(location - wanted);
    if (apart < distance) [best, distance] = [index, apart];
  }
  return best;
}

function clamp(index: number, last: number): number {
  return Math.min(last, Math.max(0, index));
}
