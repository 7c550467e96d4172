/** Graphics that come back at all are back sooner, even on a busy machine. */
const BACK_WITHIN_MS = 5_000;

/**
 * Watches a canvas for the loss of its graphics: a phone takes them from a page in the background.
 * @param onSettled told after each loss whether they are back
 * @returns stops watching
 */
export function watchGraphics(canvas: HTMLCanvasElement, onSettled: (areBack: boolean) => void): () => void {
  const listen = new AbortController();
  const { signal } = listen;
  let giving: ReturnType<typeof setTimeout> | undefined;
  let areLost = false;
  const settle = (areBack: boolean) => {
    clearTimeout(giving);
    areLost = false;
    onSettled(areBack);
  };
  /** A page in the background gets none back, so the time runs while it is seen. */
  const giveUpLater = () => {
    clearTimeout(giving);
    if (areLost && !document.hidden) giving = setTimeout(settle, BACK_WITHIN_MS, false);
  };
  const lose = (event: Event) => {
    // Only a page that prevents the default gets them back.
    event.preventDefault();
    areLost = true;
    giveUpLater();
  };
  canvas.addEventListener("webglcontextlost", lose, { signal });
  canvas.addEventListener("webglcontextrestored", () => settle(true), { signal });
  document.addEventListener("visibilitychange", giveUpLater, { signal });
  return () => {
    clearTimeout(giving);
    listen.abort();
  };
}
