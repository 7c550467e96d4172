/** Cornerstone's event for a drawn image. It fires on the viewport and does not bubble, so we listen in the capture phase. */
const IMAGE_RENDERED = "CORNERSTONE_IMAGE_RENDERED";
const VIEWPORT = ".cornerstone-viewport-element";
/** Status of a viewport that is drawn without an image. */
const WITHOUT_IMAGE = ["noData", "loading"];

/** Calls back each time an image has been drawn in a viewport (not in a thumbnail, which is drawn out of sight). */
export function onImageDrawn(run: () => void): void {
  document.addEventListener(
    IMAGE_RENDERED,
    (event) => {
      const { viewportStatus = "noData" } = (event as CustomEvent<{ viewportStatus?: string }>).detail;
      const isInViewport = event.target instanceof Element && event.target.closest(VIEWPORT) !== null;
      if (isInViewport && !WITHOUT_IMAGE.includes(viewportStatus)) run();
    },
    true,
  );
}

interface CornerstoneWindow extends Window {
  /** OHIF puts cornerstone here. */
  cornerstone?: {
    cache: { getImage(imageId: string): object | undefined };
    getRenderingEngines(): { getViewports(): { getCurrentImageId?(): string | undefined }[] }[] | undefined;
  };
}

/** Whether cornerstone holds this image. */
export function isImageHere(imageId: string): boolean {
  return (window as CornerstoneWindow).cornerstone?.cache.getImage(imageId) !== undefined;
}

/** Whether a viewport shows or is loading this image. */
export function isImageInSight(imageId: string | undefined): boolean {
  if (imageId === undefined) return false;
  const engines = (window as CornerstoneWindow).cornerstone?.getRenderingEngines() ?? [];
  return engines.some((engine) =>
    engine.getViewports().some((viewport) => viewport.getCurrentImageId?.() === imageId),
  );
}
