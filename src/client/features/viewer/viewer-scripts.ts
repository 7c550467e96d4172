import { readScriptRequest, tellViewer } from "../../viewer/messages.ts";

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

/**
 * Serves one opening of the viewer. Only scripts on our own build's list are fetched, whatever the viewer requests, and
 * without credentials. Nothing is kept here; the browser's HTTP cache holds the scripts.
 */
export function createViewerScripts(get: (path: string) => Promise<Response> = fetchPublic): ViewerScripts {
  const given = new Map<string, number>();
  const listed = readList(get);
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
      tellViewer(viewer, { kind: "script", path, bytes: await readBytes(get, path) });
    },
  };
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
): Promise<ArrayBuffer | null> {
  try {
    const response = await get(path);
    return response.ok ? await response.arrayBuffer() : null;
  } catch {
    return null;
  }
}

function fetchPublic(path: string): Promise<Response> {
  return fetch(path, { credentials: "omit", redirect: "error" });
}
