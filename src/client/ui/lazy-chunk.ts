import { type ComponentType, createElement, lazy, Suspense } from "react";

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

/** Waits before each further try, long enough for a phone in a lift to regain its connection. */
const WAITS_MS = [300, 1_500, 4_000];

/** A chunk could not be loaded. React keeps a failed load; `forget` drops it, so that the next render loads again. */
export class ChunkLost extends Error {
  override name = "ChunkLost";
  constructor(
    cause: unknown,
    readonly forget: () => void,
  ) {
    super("a chunk could not be loaded", { cause });
  }
}

/** A component in a chunk of its own. A failed load is retried a few times, and without a connection once that is back. */
export function lazyChunk<Props extends object>(
  load: Load<Props>,
  waitsMs: readonly number[] = WAITS_MS,
): ComponentType<Props> {
  const make = () =>
    lazy(async () => {
      try {
        return await loadAgain(load, waitsMs);
      } catch (error) {
        throw new ChunkLost(error, () => {
          current = make();
        });
      }
    });
  let current = make();
  return (props: Props) => createElement<Props>(current, props);
}

/** The same, shown when it has come: what is not there yet moves nothing. */
export function laterChunk<Props extends object>(load: Load<Props>): ComponentType<Props> {
  const View = lazyChunk(load);
  return (props: Props) => createElement(Suspense, null, createElement<Props>(View, props));
}

async function loadAgain<Props>(load: Load<Props>, waitsMs: readonly number[]) {
  try {
    return await load();
  } catch (error) {
    if (!navigator.onLine) {
      await connection();
      return await loadAgain(load, waitsMs);
    }
    const [waitMs, ...later] = waitsMs;
    if (waitMs === undefined) throw error;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    return await loadAgain(load, later);
  }
}

function connection(): Promise<unknown> {
  return new Promise((resolve) => window.addEventListener("online", resolve, { once: true }));
}
