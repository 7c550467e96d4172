import { useEffect, useReducer } from "react";
import { serverNow } from "../../calls/server-clock.ts";

const TICK_MS = 1000;

/** The browser's time in epoch milliseconds, updated every second. */
export function useNow(): number {
  return useTicking(Date.now, TICK_MS);
}

/** The server's time in epoch milliseconds, updated every `tickMs`. */
export function useServerNow(tickMs = TICK_MS): number {
  return useTicking(serverNow, tickMs);
}

function useTicking(clock: () => number, tickMs: number): number {
  const [, redraw] = useReducer((ticks: number) => ticks + 1, 0);
  useEffect(() => {
    const timer = setInterval(redraw, tickMs);
    return () => clearInterval(timer);
  }, [tickMs]);
  return clock();
}
