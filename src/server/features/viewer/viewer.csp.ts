/** Where the viewer may be shown and what it may reach. */
export interface ViewerPolicyOptions {
  /** Origins under which the viewer is reached; its own DICOMweb is on the same ones. */
  origins: string[];
  /** Origins whose pages may frame the viewer; `'self'` where it shares the app's origin. */
  frameAncestors: string;
  /** Makes the page one of no origin: where it shares the app's, its code must not find the session. */
  isSandboxed: boolean;
}

/**
 * Content-Security-Policy of the viewer's page. It may talk to the token's DICOMweb and to its own files and to
 * nothing else of our origin: a viewer gone astray can't call the API. (A CSP path that ends with a slash covers
 * everything below it; `'self'` can't carry a path, so origins are named.) To WebKit `'self'` and a host without a scheme
 * are nothing in a sandbox, so its files are named there for all that it loads. In a sandbox its workers have its policy, not
 * their files': there the image codecs compile code. And there its scripts are handed over by the page around (blobs),
 * which opens no door: whoever may compile code needs none.
 */
export function viewerDocumentPolicy({ origins, frameAncestors, isSandboxed }: ViewerPolicyOptions): string {
  const self = [
    "'self'",
    ...(isSandboxed ? nameable(origins).map((origin) => `${origin}/viewer/`) : []),
  ].join(" ");
  return [
    ...(isSandboxed ? ["sandbox allow-scripts allow-downloads"] : []),
    "default-src 'none'",
    `script-src ${self}${isSandboxed ? ` blob:${CODE_OF_CODECS}` : ""}`,
    `worker-src ${self} blob:`,
    `style-src ${self} 'unsafe-inline'`,
    `img-src ${self} data: blob:`,
    `font-src ${self}`,
    `connect-src ${connectSources(origins)}`,
    `frame-ancestors ${frameAncestors}`,
    "base-uri 'none'",
    "form-action 'none'",
    "object-src 'none'",
  ].join("; ");
}

const CODE_OF_CODECS = " 'wasm-unsafe-eval' 'unsafe-eval'";

/** Policy of the viewer's files, which matters where one runs as a worker: the image codecs compile code. */
export function viewerAssetPolicy({ origins }: Pick<ViewerPolicyOptions, "origins">): string {
  return [
    "default-src 'none'",
    `script-src 'self'${CODE_OF_CODECS}`,
    "worker-src 'self' blob:",
    `connect-src ${connectSources(origins)}`,
  ].join("; ");
}

/** CSP has no syntax for an IPv6 host; under such an address the whole origin is allowed. */
function connectSources(origins: string[]): string {
  const named = nameable(origins);
  if (named.length === 0 || named.length < origins.length) return "'self'";
  return named.flatMap((origin) => [`${origin}/dicomweb/t/`, `${origin}/viewer/`]).join(" ");
}

function nameable(origins: string[]): string[] {
  return origins.filter((origin) => !origin.includes("//["));
}
