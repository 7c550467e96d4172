import { createFrameLoader, type FrameLoader } from "../core/frame-loader.ts";
import type { StackSource } from "../core/source.ts";
import { createVisorModel, type VisorModel } from "../core/visor-model.ts";
import { startDecodePool } from "../decode/start-worker.ts";

/** One opening of the visor: what is seen, and the frames on their way. */
export interface VisorCore {
  model: VisorModel;
  frames: FrameLoader & { subscribe(listener: () => void): () => void; version(): number };
  close(): void;
}

const PHONE_BYTES = 128 * 1024 * 1024;
const DESKTOP_BYTES = 384 * 1024 * 1024;

/** Browsers that do not say how much memory there is get the smaller share. */
function cacheBytes(): number {
  const { deviceMemory = 4 } = navigator as Navigator & { deviceMemory?: number };
  return deviceMemory >= 8 && !matchMedia("(pointer: coarse)").matches ? DESKTOP_BYTES : PHONE_BYTES;
}

export function startVisorCore(source: StackSource): VisorCore {
  const model = createVisorModel(source);
  const pool = startDecodePool();
  const listeners = new Set<() => void>();
  let version = 0;
  let isTold = false;
  const tell = () => {
    version++;
    if (isTold) return;
    isTold = true;
    // Many frames may arrive between two pictures of the screen.
    requestAnimationFrame(() => {
      isTold = false;
      for (const listener of listeners) listener();
    });
  };
  const loader = createFrameLoader({ source, decode: pool.decode, maxBytes: cacheBytes(), onChange: tell });
  const unsubscribe = model.subscribe(() => {
    const { stack, index, direction } = model.state;
    if (stack) loader.focus(stack.slices, index, direction);
  });
  return {
    model,
    frames: {
      focus: loader.focus,
      frame: loader.frame,
      failure: loader.failure,
      retry: loader.retry,
      close: loader.close,
      get sizeBytes() {
        return loader.sizeBytes;
      },
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      version: () => version,
    },
    close() {
      unsubscribe();
      model.close();
      loader.close();
      pool.close();
    },
  };
}
