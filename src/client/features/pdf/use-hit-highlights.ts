import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { foldWanted } from "./folded-text.ts";
import type { HitPlace } from "./found-hits.ts";
import { hitRanges } from "./hit-ranges.ts";

export interface Wanted {
  words: string;
  current?: HitPlace;
}

/** The names that the style sheet has for them. */
const HITS = "pdf-hit";
const CURRENT = "pdf-hit-now";
/** The current hit is brought to this part of the desk's height. */
const EYE_LEVEL = 0.35;
const MARGIN_PX = 24;

/** Told by each drawn page (counted from 0) of its text layer, and of its end. */
export type TellLayer = (index: number, layer: HTMLElement | undefined) => void;

/** Marks the hits on the pages that are drawn, without touching them, and brings the current one into sight. */
export function useHitHighlights(desk: RefObject<HTMLElement | null>, wanted: Wanted): TellLayer {
  const [layers, setLayers] = useState<ReadonlyMap<number, HTMLElement>>(new Map());
  const seen = useRef<HitPlace>(undefined);
  const { words, current } = wanted;

  useEffect(() => {
    const others: Range[] = [];
    let now: Range | undefined;
    for (const [index, layer] of layers) {
      for (const [place, range] of hitRanges(layer, foldWanted(words)).entries()) {
        if (current?.page === index + 1 && current.index === place) now = range;
        else others.push(range);
      }
    }
    if (now && desk.current && seen.current !== current) {
      seen.current = current;
      bringIntoSight(desk.current, now);
    }
    return mark(others, now);
  }, [desk, layers, words, current]);

  return useCallback((index, layer) => {
    setLayers((known) => {
      const next = new Map(known);
      if (layer) next.set(index, layer);
      else next.delete(index);
      return next;
    });
  }, []);
}

/** Browsers that can't mark ranges still go to them. */
function mark(others: Range[], now: Range | undefined): (() => void) | undefined {
  if (typeof Highlight === "undefined") return undefined;
  const highlight = new Highlight(...(now ? [now] : []));
  highlight.priority = 1;
  CSS.highlights.set(HITS, new Highlight(...others));
  CSS.highlights.set(CURRENT, highlight);
  return () => {
    CSS.highlights.delete(HITS);
    CSS.highlights.delete(CURRENT);
  };
}

function bringIntoSight(desk: HTMLElement, range: Range): void {
  const hit = range.getBoundingClientRect();
  const frame = desk.getBoundingClientRect();
  const isAbove = hit.top < frame.top + MARGIN_PX;
  const isBelow = hit.bottom > frame.bottom - MARGIN_PX;
  const isBeside = hit.left < frame.left || hit.right > frame.right;
  desk.scrollBy({
    top: isAbove || isBelow ? hit.top - frame.top - frame.height * EYE_LEVEL : 0,
    left: isBeside ? hit.left - frame.left - (frame.width - hit.width) / 2 : 0,
  });
}
