import { useSyncExternalStore } from "react";

/** Whether the browser has a connection, as far as it knows. */
export function useIsOnline(): boolean {
  return useSyncExternalStore(subscribe, () => navigator.onLine);
}

function subscribe(onChange: () => void): () => void {
  const listen = new AbortController();
  for (const event of ["online", "offline"])
    window.addEventListener(event, onChange, { signal: listen.signal });
  return () => listen.abort();
}
