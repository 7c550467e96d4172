import type { PageHits } from "./find-text.ts";

/** One hit: its page, counted from 1, and its index on that page, from 0. */
export interface HitPlace {
  page: number;
  index: number;
}

/** How many hits each page has, pages without any left out. */
export type HitCounts = ReadonlyMap<number, number>;

export const MAX_HITS = 1_000;

export function withPageHits(counts: HitCounts, { page, count }: PageHits): HitCounts {
  return new Map(counts).set(page, count);
}

export function totalOf(counts: HitCounts): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** The number of a hit among all hits, counted from 1. */
export function positionOf(counts: HitCounts, { page, index }: HitPlace): number {
  let before = 0;
  for (const [number, count] of counts) if (number < page) before += count;
  return before + index + 1;
}

/** The hit after (`1`) or before (`-1`) another, wrapping round. */
export function neighbourOf(counts: HitCounts, { page, index }: HitPlace, direction: 1 | -1): HitPlace {
  const onPage = index + direction;
  if (onPage >= 0 && onPage < (counts.get(page) ?? 0)) return { page, index: onPage };
  const pages = [...counts.keys()].sort((a, b) => (a - b) * direction);
  const next = pages.find((number) => (number - page) * direction > 0) ?? pages[0] ?? page;
  return { page: next, index: direction === 1 ? 0 : (counts.get(next) ?? 1) - 1 };
}
