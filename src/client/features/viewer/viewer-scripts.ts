import { readScriptRequest, tellViewer } from "../../viewer/messages.ts";
import { createOpeningProgress, readOpening } from "./viewer-opening.ts";

/** One more than needed, because a viewer whose script failed to start may request it again. */
const MAX_ANSWERS_PER_SCRIPT = 2;
const LIST = "/viewer/scripts.json";

/** Hands the viewer's scripts to a sandboxed viewer, which has no HTTP cache of its own. */
export interface ViewerScripts {
  /** Tells the viewer which scripts are available. */
  offer(viewer: Window): Promise<void>;
  /** Answers a request for a script; ignores paths that are not on our list or were handed over too often. */
  answer(viewer: Window, data: unknown): Promise<void>;
}

export interface ViewerScriptsOptions {
  get?: (path: string) => Promise<Response>;
  /** How much of an opening's scripts has arrived, in whole percent. */
  onProgress?: (percent: number) => void;
}

/**
 * Serves one opening of the viewer. Only scripts on our own build's list are fetched, whatever the viewer requests, and
 * without credentials. Nothing is kept here; the browser's HTTP cache holds the scripts.
 */
export function createViewerScripts({
  get = fetchPublic,
  onProgress = () => undefined,
}: ViewerScriptsOptions = {}): ViewerScripts {
  const given = new Map<string, number>();
  const listed = readList(get);
  const progress = readOpening(get).then((parts) => createOpeningProgress(parts, onProgress));
  return {
    async offer(viewer) {
      tellViewer(viewer, { kind: "offer", paths: [...(await listed)] });
    },
    async answer(viewer, data) {
      const path = readScriptRequest(data);
      if (path === undefined || !(await listed).has(path)) return;
      const times = given.get(path) ?? 0;
      if (times >= MAX_ANSWERS_PER_SCRIPT) return;
      given.set(path, times + 1);
      const { add } = await progress;
      const bytes = await readBytes(get, path, (sizeBytes) => add(path, sizeBytes));
      tellViewer(viewer, { kind: "script", path, bytes });
    },
  };
}

/** Brings an opening's scripts into the browser's HTTP cache, one after the other, until one fails or it is ended. */
export async function warmViewerScripts(
  signal: AbortSignal,
  get: (path: string) => Promise<Response> = fetchWhenIdle,
): Promise<void> {
  for (const path of (await readOpening(get)).keys()) {
    if (signal.aborted || (await readBytes(get, path)) === null) return;
  }
}

async function readList(get: (path: string) => Promise<Response>): Promise<ReadonlySet<string>> {
  try {
    const response = await get(LIST);
    const paths: unknown = response.ok ? await response.json() : [];
    return new Set(Array.isArray(paths) ? paths.filter((path) => typeof path === "string") : []);
  } catch {
    // The viewer then fetches its scripts itself, and reports the ones it could not load.
    return new Set();
  }
}

async function readBytes(
  get: (path: string) => Promise<Response>,
  path: string,
  onBytes: (sizeBytes: number) => void = () => undefined,
): Promise<ArrayBuffer | null> {
  try {
    const response = await get(path);
    if (!response.ok) return null;
    const counted = response.body?.pipeThrough(
      new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(bytes, controller) {
          onBytes(bytes.byteLength);
          controller.enqueue(bytes);
        },
      }),
    );
    return await new Response(counted).arrayBuffer();
  } catch {
    return null;
  }
}

function fetchPublic(path: string): Promise<Response> {
  return fetch(path, { credentials: "omit", redirect: "error" });
}

function fetchWhenIdle(path: string): Promise<Response> {
  return fetch(path, { credentials: "omit", redirect: "error", priority: "low" });
}
