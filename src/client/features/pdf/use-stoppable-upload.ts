import { useEffect, useRef, useState } from "react";

/** How far an upload is, and what stops it: it stops by itself when its dialog closes. */
export function useStoppableUpload() {
  const [sent, setSent] = useState(0);
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  return {
    sent,
    /** Answers what the call of the upload is to be given. */
    begin: () => {
      stop.current = new AbortController();
      setSent(0);
      return { onProgress: setSent, signal: stop.current.signal };
    },
    isStopped: () => stop.current?.signal.aborted ?? false,
  };
}
