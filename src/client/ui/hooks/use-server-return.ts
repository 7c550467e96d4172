import { useEffect, useEffectEvent } from "react";
import { healthCall } from "../../../shared/api/health.ts";

const PAUSE_MS = 15_000;

/**
 * Calls back once the server is ready again, if it was not when it was first asked: what it answers ever since has not failed for that.
 * A hidden page does not ask.
 */
export function useServerReturn(onReturn: () => void): void {
  const tell = useEffectEvent(onReturn);
  useEffect(() => {
    const left = new AbortController();
    let wasAway = false;
    const ask = async () => {
      if (document.hidden) return;
      const isReady = await isServerReady(left.signal);
      if (left.signal.aborted) return;
      if (isReady && wasAway) tell();
      wasAway ||= !isReady;
    };
    void ask();
    const asking = setInterval(() => void ask(), PAUSE_MS);
    return () => {
      left.abort();
      clearInterval(asking);
    };
  }, []);
}

async function isServerReady(signal: AbortSignal): Promise<boolean> {
  try {
    return (await fetch(healthCall.path, { cache: "no-store", signal })).ok;
  } catch {
    return false;
  }
}
