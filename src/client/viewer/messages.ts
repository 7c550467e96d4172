/**
 * Events that the viewer's page sends to the framing page: it runs, OHIF has loaded, a part failed to load, something is
 * visible (an image, or the reason for its absence), and the person wants to leave.
 */
export const viewerEvents = ["begun", "loaded", "broken", "shown", "leave"] as const;
export type ViewerEvent = (typeof viewerEvents)[number];

interface ViewerMessage {
  viewer: ViewerEvent;
}

/** The event holds no secret, and the page's CSP lets only our application frame it, so any origin may receive it. */
export function tellParent(event: ViewerEvent): void {
  const message: ViewerMessage = { viewer: event };
  if (window.parent !== window) window.parent.postMessage(message, "*");
}

/** The viewer's event in a received message; undefined for any other message. */
export function readViewerMessage(data: unknown): ViewerEvent | undefined {
  if (typeof data !== "object" || data === null || !("viewer" in data)) return undefined;
  return viewerEvents.find((event) => event === data.viewer);
}

/** Messages from the framing page to a sandboxed viewer: the scripts on offer, and one script (null if it failed to load). */
export type ParentMessage =
  | { kind: "offer"; paths: string[] }
  | { kind: "script"; path: string; bytes: ArrayBuffer | null };

/** Requests a script from the framing page. */
export function requestScript(path: string): void {
  window.parent.postMessage({ viewerWants: path }, "*");
}

/** The path of the script that the viewer requests; undefined for any other message. */
export function readScriptRequest(data: unknown): string | undefined {
  if (typeof data !== "object" || data === null || !("viewerWants" in data)) return undefined;
  return typeof data.viewerWants === "string" ? data.viewerWants : undefined;
}

/** Scripts are not secret, so it does not matter which page is in the frame by now. */
export function tellViewer(viewer: Window, message: ParentMessage): void {
  const moved = message.kind === "script" && message.bytes ? [message.bytes] : [];
  viewer.postMessage({ toViewer: message }, "*", moved);
}

/** The framing page's message in what the viewer received; messages from other windows are ignored. */
export function readParentMessage(data: unknown): ParentMessage | undefined {
  if (typeof data !== "object" || data === null || !("toViewer" in data)) return undefined;
  return data.toViewer as ParentMessage;
}
