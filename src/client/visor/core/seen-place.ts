import type { Slice } from "./stacks.ts";

/** Where a person is in a stack, and which slices they may see next. */
export class SeenPlace {
  #slices: readonly Slice[] = [];
  #places = new Map<string, number>();
  #index = 0;
  #direction = 1;

  /**
   * @param towards the way of the last step; 0 leaves it as it was
   * @returns whether the stack is another one
   */
  move(slices: readonly Slice[], index: number, towards: number): boolean {
    const isOther = slices !== this.#slices;
    if (isOther) {
      this.#slices = slices;
      this.#places = new Map(slices.map(({ key }, place) => [key, place]));
    }
    this.#index = index;
    if (towards !== 0) this.#direction = Math.sign(towards);
    return isOther;
  }

  get slice(): Slice | undefined {
    return this.#slices[this.#index];
  }

  /** Whether the slice is one of the seen stack. */
  has(key: string): boolean {
    return this.#places.has(key);
  }

  isSeen(key: string): boolean {
    return this.distanceOf(key) === 0;
  }

  /** In slices from the seen one; infinite for a slice of another stack. */
  distanceOf(key: string): number {
    const place = this.#places.get(key);
    return place === undefined ? Number.POSITIVE_INFINITY : Math.abs(place - this.#index);
  }

  /** The seen slice, then those up to `reach` away on either side. */
  *outward(reach: number): Generator<Slice> {
    for (const place of wantedOrder(this.#slices.length, this.#index, this.#direction, reach)) {
      const slice = this.#slices[place];
      if (slice) yield slice;
    }
  }
}

/** The seen place, then outward from it, two of three in the direction of scrolling. */
export function* wantedOrder(
  count: number,
  index: number,
  direction: number,
  reach: number,
): Generator<number> {
  yield index;
  let [ahead, behind] = [1, 1];
  while (ahead <= reach || behind <= reach) {
    for (const _ of [0, 1]) {
      if (ahead <= reach && inside(index + direction * ahead, count)) yield index + direction * ahead;
      ahead++;
    }
    if (behind <= reach && inside(index - direction * behind, count)) yield index - direction * behind;
    behind++;
    if (ahead > count && behind > count) return;
  }
}

function inside(place: number, count: number): boolean {
  return place >= 0 && place < count;
}
