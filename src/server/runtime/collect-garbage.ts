/** How much the process may grow before what it no longer uses is collected. */
const MAX_GROWTH_BYTES = 96 * 1024 * 1024;
const LOOK_EVERY_MS = 100;

/**
 * Collects garbage each time the process has grown by so much since the last time. The engine does not count the
 * buffers of bodies that are read and written, so that many readers at once leave hundreds of megabytes lying.
 */
export function collectGarbage(): Disposable {
  let keptBytes = process.memoryUsage.rss();
  const timer = setInterval(() => {
    const bytes = process.memoryUsage.rss();
    keptBytes = Math.min(keptBytes, bytes);
    if (bytes - keptBytes < MAX_GROWTH_BYTES) return;
    Bun.gc(true);
    keptBytes = process.memoryUsage.rss();
  }, LOOK_EVERY_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
