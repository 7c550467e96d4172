import { type ComponentType, type LazyExoticComponent, lazy } from "react";

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

/** Waits before each further try, long enough for a phone in a lift to regain its connection. */
const WAITS_MS = [300, 1_500, 4_000];

/** A component in a chunk of its own. A failed load is retried a few times. */
export function lazyChunk<Props>(
  load: Load<Props>,
  waitsMs: readonly number[] = WAITS_MS,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(() => loadAgain(load, waitsMs));
}

async function loadAgain<Props>(load: Load<Props>, [waitMs, ...later]: readonly number[]) {
  try {
    return await load();
  } catch (error) {
    if (waitMs === undefined) throw error;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    return await loadAgain(load, later);
  }
}
