import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import type { ViewerObstacle } from "../../../shared/api/studies.ts";
import { readViewerMessage, type ViewerEvent } from "../../viewer/messages.ts";
import { createViewerScripts, type ViewerScripts } from "./viewer-scripts.ts";

/** The step at which opening the viewer failed; `connection`: the server was not reached; `outage`: it was not ready. */
export type ViewerFailure = "noSession" | "connection" | "outage" | "assign" | "token" | "page";

export type ViewerPage =
  | { state: "opening" }
  | { state: "loading"; url: string }
  | { state: "shown"; url: string }
  | { state: "unseen"; obstacle: ViewerObstacle }
  | { state: "failed"; failure: ViewerFailure };

/** A page that has not started by then counts as missing. */
const BEGIN_TIMEOUT_MS = 30_000;
/** A loaded page has started already; its message may still be in transit. */
const BEGIN_GRACE_MS = 3_000;
/** This long after OHIF has loaded, the viewer is shown even without an image, because it may say why. */
const IMAGE_PATIENCE_MS = 8_000;

/** Finds out where the page of a study is, or why it can't be shown. */
export type FindViewerPage = () => Promise<ViewerPage>;

/**
 * Opens the viewer's page and follows it until it has drawn an image.
 * @param find another function is another opening
 */
export function useViewerPage(find: FindViewerPage, onLeave?: () => void) {
  const [page, setPage] = useState<ViewerPage>({ state: "opening" });
  const [attempt, setAttempt] = useState(0);
  const [hasBegun, setBegun] = useState(false);
  const [hasLoaded, setLoaded] = useState(false);
  const [isComplete, setComplete] = useState(false);
  const [isSeen, setSeen] = useState(false);
  const [percent, setPercent] = useState<number>();
  const frame = useRef<HTMLIFrameElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is another opening
  useEffect(() => {
    let isCurrent = true;
    setPage({ state: "opening" });
    setBegun(false);
    setLoaded(false);
    setComplete(false);
    setSeen(false);
    setPercent(undefined);
    void find().then((opened) => {
      if (isCurrent) setPage(opened);
    });
    return () => {
      isCurrent = false;
    };
  }, [find, attempt]);

  const show = () => setPage((now) => (now.state === "loading" ? { ...now, state: "shown" } : now));
  const retry = () => setAttempt((count) => count + 1);
  const fail = () => setPage({ state: "failed", failure: navigator.onLine ? "page" : "connection" });
  const onEvent = (event: ViewerEvent) => {
    if (event === "begun") setBegun(true);
    if (event === "loaded") setComplete(true);
    if (event === "shown") {
      setSeen(true);
      show();
    }
    // A visible image stays even if a tool fails to load.
    if (event === "broken" && !isSeen) fail();
    if (event === "leave") onLeave?.();
  };
  useViewerEvents(frame, attempt, { onEvent, onProgress: setPercent });

  useOnConnection(page.state === "failed" && page.failure === "connection", retry);
  const isLoading = page.state === "loading";
  useTimeout(isLoading && !hasBegun, hasLoaded ? BEGIN_GRACE_MS : BEGIN_TIMEOUT_MS, fail);
  useTimeout(isLoading && isComplete, IMAGE_PATIENCE_MS, show);

  return {
    page,
    frame,
    /** How much of the viewer's scripts has arrived; undefined where the viewer fetches them itself. */
    percent,
    onLoaded: () => setLoaded(true),
    retry,
  };
}

interface ViewerListeners {
  onEvent: (event: ViewerEvent) => void;
  onProgress: (percent: number) => void;
}

/** Listens to messages from the framed viewer only, and hands a sandboxed viewer its scripts. */
function useViewerEvents(
  frame: RefObject<HTMLIFrameElement | null>,
  attempt: number,
  { onEvent, onProgress }: ViewerListeners,
): void {
  const hear = useEffectEvent(onEvent);
  const tell = useEffectEvent(onProgress);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is another viewer, and is handed its own
  useEffect(() => {
    let scripts: ViewerScripts | undefined;
    let isCurrent = true;
    const tellCurrent = (percent: number) => {
      if (isCurrent) tell(percent);
    };
    const listen = ({ source, origin, data }: MessageEvent) => {
      const { current } = frame;
      if (!current || source !== current.contentWindow) return;
      // A sandboxed page has no origin; a page that navigated elsewhere has another one.
      if (origin !== "null" && origin !== new URL(current.src).origin) return;
      const event = readViewerMessage(data);
      if (event) hear(event);
      if (origin !== "null" || !current.contentWindow) return;
      if (event === "begun") {
        scripts ??= createViewerScripts({ onProgress: tellCurrent });
        void scripts.offer(current.contentWindow);
      }
      void scripts?.answer(current.contentWindow, data);
    };
    window.addEventListener("message", listen);
    return () => {
      isCurrent = false;
      window.removeEventListener("message", listen);
    };
  }, [frame, attempt]);
}

/** Runs a callback once the browser has a connection again, while `isWaiting`. */
function useOnConnection(isWaiting: boolean, run: () => void): void {
  const end = useEffectEvent(run);
  useEffect(() => {
    if (!isWaiting) return;
    const listen = new AbortController();
    window.addEventListener("online", () => end(), { signal: listen.signal });
    return () => listen.abort();
  }, [isWaiting]);
}

/** Runs a callback once `isRunning` has been true for the given time. */
function useTimeout(isRunning: boolean, timeoutMs: number, run: () => void): void {
  const end = useEffectEvent(run);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setTimeout(() => end(), timeoutMs);
    return () => clearTimeout(timer);
  }, [isRunning, timeoutMs]);
}

/**
 * The sandbox permissions of the viewer's page. A page served from our own origin loses that origin, so that its code
 * reaches neither the session nor the API. A page on a separate origin keeps it.
 */
export function viewerSandbox(url: string): string {
  const isOurs = new URL(url, location.href).origin === location.origin;
  return `allow-scripts allow-downloads${isOurs ? "" : " allow-same-origin"}`;
}
