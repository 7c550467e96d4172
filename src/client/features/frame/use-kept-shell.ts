import { useEffect } from "react";
import { whenIdle } from "../../ui/when-idle.ts";

/** A slow phone has its first view by then: what is kept for later does not stand before it. */
const FIRST_VIEW_MS = 3_000;

/** Keeps the page and its programs in the browser, so that /his opens without a connection. */
export function useKeptShell(): void {
  useEffect(() => {
    // Browsers offer no service workers to pages without HTTPS; a development build changes under them.
    if (process.env.NODE_ENV === "development" || !("serviceWorker" in navigator)) return;
    let forget = () => {};
    const timer = setTimeout(() => {
      forget = whenIdle(keepShell);
    }, FIRST_VIEW_MS);
    return () => {
      clearTimeout(timer);
      forget();
    };
  }, []);
}

function keepShell(): void {
  navigator.serviceWorker.register("/sw.js").catch((error: unknown) => {
    console.warn("the page is not kept for use without a connection", error);
  });
}
