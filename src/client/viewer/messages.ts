/**
 * What the viewer's page tells the page that frames it: that it runs, that a part of it did not come, that there is
 * something to see (an image, or why there is none), and that the person wants to leave it.
 */
export const viewerEvents = ["begun", "broken", "shown", "leave"] as const;
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
