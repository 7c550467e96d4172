import { useEffect, useRef, useState } from "react";

/** The progress of an upload, and a way to stop it. The upload stops when its dialog closes. */
export function useStoppableUpload() {
  const [sent, setSent] = useState(0);
  const stop = useRef<AbortController>(undefined);
  const last = useRef({ what: [] as readonly unknown[], idempotencyKey: "" });
  useEffect(() => () => stop.current?.abort(), []);
  return {
    sent,
    /** Starts the upload of `what`, and returns the options for its call. The same sent again has the key that it had. */
    begin: (...what: readonly unknown[]) => {
      stop.current = new AbortController();
      setSent(0);
      if (!isSame(last.current.what, what)) last.current = { what, idempotencyKey: newKey() };
      const { idempotencyKey } = last.current;
      return { onProgress: setSent, signal: stop.current.signal, idempotencyKey };
    },
    isStopped: () => stop.current?.signal.aborted ?? false,
  };
}

/** `crypto.randomUUID` exists only where the page came by TLS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");
}

function isSame(before: readonly unknown[], now: readonly unknown[]): boolean {
  return before.length === now.length && before.every((value, index) => value === now[index]);
}
