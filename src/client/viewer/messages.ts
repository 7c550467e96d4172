/**
 * What the viewer's page tells the page that frames it: that it runs, that OHIF has come, that a part of it did not come, that there is
 * something to see (an image, or why there is none), and that the person wants to leave it.
 */
export const viewerEvents = ["begun", "loaded", "broken", "shown", "leave"] as const;
export type ViewerEvent = (typeof viewerEvents)[number];

interface ViewerMessage {
  viewer: ViewerEvent;
}

/** Nothing in it is secret, and the page's CSP lets nobody but our application frame it: any origin may hear. */
export function tellParent(event: ViewerEvent): void {
  const message: ViewerMessage = { viewer: event };
  if (window.parent !== window) window.parent.postMessage(message, "*");
}

/** The viewer's event in what a window was sent; undefined where it is something else. */
export function readViewerMessage(data: unknown): ViewerEvent | undefined {
  if (typeof data !== "object" || data === null || !("viewer" in data)) return undefined;
  return viewerEvents.find((event) => event === data.viewer);
}

/** What the framing page tells a sandboxed viewer: which scripts it can hand over, and one of them (null: it did not come). */
export type ParentMessage =
  | { kind: "offer"; paths: string[] }
  | { kind: "script"; path: string; bytes: ArrayBuffer | null };

/** A script that the viewer wants of the page that frames it. */
export function askForScript(path: string): void {
  window.parent.postMessage({ viewerWants: path }, "*");
}

/** The path of a script that the viewer wants; undefined where it says something else. */
export function readWish(data: unknown): string | undefined {
  if (typeof data !== "object" || data === null || !("viewerWants" in data)) return undefined;
  return typeof data.viewerWants === "string" ? data.viewerWants : undefined;
}

/** Scripts are no secret, so it does not matter which page is in the frame by now. */
export function tellViewer(viewer: Window, message: ParentMessage): void {
  const moved = message.kind === "script" && message.bytes ? [message.bytes] : [];
  viewer.postMessage({ toViewer: message }, "*", moved);
}

/** The framing page's message in what the viewer was sent; only that page is asked. */
export function readParentMessage(data: unknown): ParentMessage | undefined {
  if (typeof data !== "object" || data === null || !("toViewer" in data)) return undefined;
  return data.toViewer as ParentMessage;
}
