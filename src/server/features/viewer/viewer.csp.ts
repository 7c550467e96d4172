/** Where the viewer may be shown and what it may reach. */
export interface ViewerPolicyOptions {
  /** `host[:port]` values under which the viewer is reached; its own DICOMweb is on the same host. */
  hosts: string[];
  /** Origins whose pages may frame the viewer; `'self'` where it shares the app's origin. */
  frameAncestors: string;
  /** Makes the page one of no origin: where it shares the app's, its code must not find the session. */
  isSandboxed: boolean;
}

/**
 * Content-Security-Policy of the viewer's page. It may talk to the token's DICOMweb and to its own files and to
 * nothing else of our origin: a viewer gone astray can't call the API. (A CSP path that ends with a slash covers
 * everything below it; `'self'` can't carry a path, so hosts are named.) In a sandbox its workers have its policy, not
 * their files': there the image codecs compile code. And there its scripts are handed over by the page around (blobs),
 * which opens no door: whoever may compile code needs none.
 */
export function viewerDocumentPolicy({ hosts, frameAncestors, isSandboxed }: ViewerPolicyOptions): string {
  return [
    ...(isSandboxed ? ["sandbox allow-scripts allow-downloads"] : []),
    "default-src 'none'",
    `script-src 'self'${isSandboxed ? ` blob:${CODE_OF_CODECS}` : ""}`,
    "worker-src 'self' blob:",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src ${connectSources(hosts)}`,
    `frame-ancestors ${frameAncestors}`,
    "base-uri 'none'",
    "form-action 'none'",
    "object-src 'none'",
  ].join("; ");
}

const CODE_OF_CODECS = " 'wasm-unsafe-eval' 'unsafe-eval'";

/** Policy of the viewer's files, which matters where one runs as a worker: the image codecs compile code. */
export function viewerAssetPolicy({ hosts }: Pick<ViewerPolicyOptions, "hosts">): string {
  return [
    "default-src 'none'",
    `script-src 'self'${CODE_OF_CODECS}`,
    "worker-src 'self' blob:",
    `connect-src ${connectSources(hosts)}`,
  ].join("; ");
}

/** CSP has no syntax for an IPv6 host; under such an address the whole origin is allowed. */
function connectSources(hosts: string[]): string {
  if (hosts.length === 0 || hosts.some((host) => host.startsWith("["))) return "'self'";
  return hosts.flatMap((host) => [`${host}/dicomweb/t/`, `${host}/viewer/`]).join(" ");
}
