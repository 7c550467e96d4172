import { useEffect, useState } from "react";

const TICK_MS = 1000;

/** The time now in epoch milliseconds, read again every second. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
