/** What a sandboxed worker says where its script did not come; in the browser's own words it can't be told apart. */
export const SCRIPT_LOST = "viewer.script_lost";

const scripts = new Map<string, string>();

/** Whether this page runs in a sandbox, and so belongs to no origin. */
export function isSandboxed(): boolean {
  return self.origin === "null";
}

/**
 * Where a worker's script may start from. A sandboxed page may start none from our origin, but from a text of its own,
 * which then fetches the script and tells it where we are.
 */
export function workerAddress(script: string | URL): string | URL {
  const { href, protocol } = new URL(script, document.baseURI);
  if (!isSandboxed() || protocol === "blob:") return script;
  const known = scripts.get(href);
  if (known) return known;
  const text = `self.viewerOrigin = ${JSON.stringify(location.origin)};
try { importScripts(${JSON.stringify(href)}); } catch (error) { self.postMessage("${SCRIPT_LOST}"); throw error; }`;
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  scripts.set(href, address);
  return address;
}
