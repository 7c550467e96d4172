import { useEffect, useMemo, useRef, useState } from "react";
import { TextFinder } from "./find-text.ts";
import { type HitCounts, type HitPlace, MAX_HITS, neighbourOf, totalOf, withPageHits } from "./found-hits.ts";
import type { OpenPdf } from "./pdf-stage.tsx";

export interface Find {
  words: string;
  /** Undefined while the search field is empty. */
  found?: Found;
  /** Searches for new words, beginning at the current page. */
  look: (words: string) => void;
  step: (direction: 1 | -1) => void;
}

export interface Found {
  counts: HitCounts;
  /** The current hit. */
  current?: HitPlace;
  /** Whether the search is complete. */
  isDone: boolean;
  /** Whether there may be more hits than were found. */
  isPartial: boolean;
}

const SHOW_EVERY_MS = 100;
const nothing: Found = { counts: new Map(), isDone: false, isPartial: false };

/** Finds words in an open PDF; `page` is the reader's page, counted from 1. */
export function useFind(pdf: OpenPdf | undefined, page: number): Find {
  const [words, setWords] = useState("");
  const [found, setFound] = useState<Found>();
  const running = useRef<AbortController>(undefined);
  const finder = useMemo(() => pdf && new TextFinder(pdf), [pdf]);
  useEffect(() => () => running.current?.abort(), []);

  const search = async (wanted: string) => {
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    try {
      if (finder) await collect(finder, wanted, { from: page, signal, onFound: setFound });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
  return {
    words,
    found,
    look(wanted) {
      running.current?.abort();
      setWords(wanted);
      setFound(undefined);
      if (wanted.trim() !== "") void search(wanted);
    },
    step(direction) {
      setFound((now) =>
        now?.current ? { ...now, current: neighbourOf(now.counts, now.current, direction) } : now,
      );
    },
  };
}

interface CollectOptions {
  from: number;
  signal: AbortSignal;
  onFound: (update: (before: Found | undefined) => Found) => void;
}

/** Shows the first hit at once, and updates the count at intervals. */
async function collect(finder: TextFinder, wanted: string, { from, signal, onFound }: CollectOptions) {
  let counts: HitCounts = new Map();
  let shownAt = -SHOW_EVERY_MS;
  let isCut = false;
  const show = (isDone: boolean) => {
    shownAt = performance.now();
    const seen = counts;
    const [page] = seen.keys();
    onFound((before = nothing) => ({
      counts: seen,
      current: before.current ?? (page === undefined ? undefined : { page, index: 0 }),
      isDone,
      isPartial: isCut || finder.isPartial,
    }));
  };
  for await (const hits of finder.find(wanted, from, signal)) {
    counts = withPageHits(counts, hits);
    isCut = totalOf(counts) >= MAX_HITS;
    if (isCut) break;
    if (performance.now() - shownAt >= SHOW_EVERY_MS) show(false);
  }
  if (!signal.aborted) show(true);
}
