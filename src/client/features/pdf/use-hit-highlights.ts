import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { foldQuery } from "./folded-text.ts";
import type { HitPlace } from "./found-hits.ts";
import { hitRanges } from "./hit-ranges.ts";

export interface Wanted {
  words: string;
  current?: HitPlace;
}

/** Names of the highlights in the style sheet. */
const HITS = "pdf-hit";
const CURRENT = "pdf-hit-now";
/** The current hit is scrolled to this fraction of the desk's height. */
const EYE_LEVEL = 0.35;
const MARGIN_PX = 24;

/** Each drawn page (counted from 0) reports its text layer, and undefined when the layer is removed. */
export type ReportLayer = (index: number, layer: HTMLElement | undefined) => void;

/** Highlights the hits on the drawn pages without changing their elements, and scrolls the current hit into sight. */
export function useHitHighlights(desk: RefObject<HTMLElement | null>, wanted: Wanted): ReportLayer {
  const [layers, setLayers] = useState<ReadonlyMap<number, HTMLElement>>(new Map());
  const seen = useRef<HitPlace>(undefined);
  const { words, current } = wanted;

  useEffect(() => {
    const others: Range[] = [];
    let now: Range | undefined;
    for (const [index, layer] of layers) {
      for (const [place, range] of hitRanges(layer, foldQuery(words)).entries()) {
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

/** Browsers that can't highlight ranges still scroll to them. */
function mark(others: Range[], now: Range | undefined): (() => void) | undefined {
  if (typeof Highlight === "undefined") return undefined;
  const hits = new Highlight(...others);
  const current = new Highlight(...(now ? [now] : []));
  current.priority = 1;
  CSS.highlights.set(HITS, hits);
  CSS.highlights.set(CURRENT, current);
  return () => {
    // WebKit goes on painting what is only taken out of the registry.
    hits.clear();
    current.clear();
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
