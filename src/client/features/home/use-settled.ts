import { useDeferredValue, useEffect, useState } from "react";

/** How long a view waits for the slowest of its data before it shows the rest. */
const PATIENCE_MS = 4_000;

interface Loaded {
  isLoading: boolean;
}

/**
 * Whether every query has loaded once, or the wait has been long enough. Stays true, because what is shown must not move away from a
 * finger.
 */
export function useSettled(queries: readonly Loaded[]): boolean {
  const [isSettled, setSettled] = useState(false);
  const isReady = queries.every(({ isLoading }) => !isLoading);
  useEffect(() => {
    if (isSettled) return;
    const timer = setTimeout(() => setSettled(true), isReady ? 0 : PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isSettled, isReady]);
  // What it was waiting for is drawn in slices: a phone answers its fingers meanwhile.
  return useDeferredValue(isSettled || isReady);
}
