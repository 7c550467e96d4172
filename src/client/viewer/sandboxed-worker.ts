/** The message of a sandboxed worker whose script could not be loaded; the browser's own message is ambiguous. */
export const SCRIPT_LOST = "viewer.script_lost";

const scripts = new Map<string, string>();

/** Whether this page runs in a sandbox and so has no origin. */
export function isSandboxed(): boolean {
  return self.origin === "null";
}

/**
 * The URL from which a worker may start. A sandboxed page can't start a worker from our origin. It starts one from a blob
 * instead, which fetches the script and gives it our address.
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
