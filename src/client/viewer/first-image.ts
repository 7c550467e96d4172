/** How cornerstone tells of a drawn image; fired on the viewport, without bubbling, hence heard while it descends. */
const IMAGE_RENDERED = "CORNERSTONE_IMAGE_RENDERED";
const VIEWPORT = ".cornerstone-viewport-element";

/** Calls back each time an image has been drawn in a viewport (not in a thumbnail, which is drawn out of sight). */
export function onImageDrawn(run: () => void): void {
  document.addEventListener(
    IMAGE_RENDERED,
    (event) => {
      const { viewportStatus } = (event as CustomEvent<{ viewportStatus?: string }>).detail;
      const isInViewport = event.target instanceof Element && event.target.closest(VIEWPORT) !== null;
      if (isInViewport && viewportStatus === "rendered") run();
    },
    true,
  );
}
