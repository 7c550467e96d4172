import { dot, normalOf } from "./geometry.ts";
import type { Slice, Stack } from "./stacks.ts";
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
 * Scrolls each of two models with the other one, from where both are. A stack that is shown later goes to the place of the one that
 * stood: its position where both share a frame of reference, else its share of the stack.
 * @returns what ends it
 */
export function linkScroll(one: VisorModel, other: VisorModel): () => void {
  let isFollowing = false;
  let isBegun = false;
  let linked: { stacks: [Stack, Stack]; toOther: Follow; toOne: Follow } | undefined;

  function follow(lead: VisorModel, trail: VisorModel): void {
    const { stack: here } = one.state;
    const { stack: there } = other.state;
    if (isFollowing || !here || !there) return;
    isFollowing = true;
    if (linked?.stacks[0] === here && linked.stacks[1] === there) {
      trail.seek((trail === other ? linked.toOther : linked.toOne)(lead.state.index));
    } else {
      if (isBegun && !isOneSpace(here, there)) lead.seek(sameShare(trail.state, lead.state));
      const [from, to] = [
        { stack: here, index: one.state.index },
        { stack: there, index: other.state.index },
      ];
      linked = {
        stacks: [here, there],
        toOther: createFollower(from, to),
        toOne: createFollower(to, from),
      };
      lead.seek((lead === other ? linked.toOther : linked.toOne)(trail.state.index));
    }
    isFollowing = false;
  }

  const ends = [one.subscribe(() => follow(one, other)), other.subscribe(() => follow(other, one))];
  follow(other, one);
  isBegun = true;
  return () => {
    for (const end of ends) end();
  };
}

type Follow = ReturnType<typeof createFollower>;

/** The index in `to` of the share that is seen of `from`. */
function sameShare(from: VisorState, to: VisorState): number {
  const lastOf = ({ stack }: VisorState) => (stack?.slices.length ?? 1) - 1;
  const share = from.index / Math.max(1, lastOf(from));
  const isTurned = from.stack && to.stack && sameWay(from.stack, to.stack) < 0;
  return (isTurned ? 1 - share : share) * lastOf(to);
}

/** Millimetres along the normal of each slice; undefined if one of them has none, or another direction. */
function locationsOf({ slices }: Stack): number[] | undefined {
  const [first] = slices;
  const locations = slices.flatMap((slice) => {
    const { location } = slice.geometry;
    return location !== undefined && wayOf(first, slice) === 1 ? [location] : [];
  });
  return locations.length === slices.length ? locations : undefined;
}

/** Normals that differ by less than eight degrees. */
const PARALLEL = 0.99;

function sameWay(one: Stack, other: Stack): -1 | 0 | 1 {
  return wayOf(one.slices[0], other.slices[0]);
}

/** 1: stacks of such slices grow in one direction, -1: in opposite ones, 0: neither. */
function wayOf(a: Slice | undefined, b: Slice | undefined): -1 | 0 | 1 {
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
