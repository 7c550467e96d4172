import { useEffect } from "react";

/** Keeps the page and its programs in the browser, so that /his opens without a connection. */
export function useKeptShell(): void {
  useEffect(() => {
    // Browsers offer no service workers to pages without HTTPS; a development build changes under them.
    if (process.env.NODE_ENV === "development" || !("serviceWorker" in navigator)) return;
    navigator.serviceWorker.register("/sw.js").catch((error: unknown) => {
      console.warn("the page is not kept for use without a connection", error);
    });
  }, []);
}
