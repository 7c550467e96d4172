import { useEffect, useRef, useState } from "react";

/** The progress of an upload, and a way to stop it. The upload stops when its dialog closes. */
export function useStoppableUpload() {
  const [sent, setSent] = useState(0);
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  return {
    sent,
    /** Starts an upload, and returns the options for its call. */
    begin: () => {
      stop.current = new AbortController();
      setSent(0);
      return { onProgress: setSent, signal: stop.current.signal };
    },
    isStopped: () => stop.current?.signal.aborted ?? false,
  };
}
