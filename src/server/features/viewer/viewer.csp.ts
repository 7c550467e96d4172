/** Where the viewer may be shown and what it may reach. */
export interface ViewerPolicyOptions {
  /** Origins under which the viewer is reached, as is its DICOMweb. */
  origins: string[];
  /** Origins whose pages may frame the viewer; `'self'` if it shares the app's origin. */
  frameAncestors: string;
  /** Gives the page an opaque origin, so that a viewer on the app's origin cannot reach the session. */
  isSandboxed: boolean;
}

/**
 * Content-Security-Policy of the viewer's page. It may request the token's DICOMweb and its own files only, so that a compromised
 * viewer can't call the API. (A CSP path that ends with a slash covers everything below it; `'self'` can't carry a path, so origins
 * are named.) In a sandbox, WebKit ignores `'self'` and a host without a scheme, so the policy names the viewer's files by origin
 * for everything that it loads. Workers have the page's policy in a sandbox, not that of their files, and the image codecs compile
 * code in them. The surrounding page passes scripts to the sandbox as blobs; allowing these adds no risk where code may be
 * compiled.
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

/** Policy of the viewer's files, which applies to files that run as workers: the image codecs compile code. */
export function viewerAssetPolicy({ origins }: Pick<ViewerPolicyOptions, "origins">): string {
  return [
    "default-src 'none'",
    `script-src 'self'${CODE_OF_CODECS}`,
    "worker-src 'self' blob:",
    `connect-src ${connectSources(origins)}`,
  ].join("; ");
}

/** Sources for `connect-src`. CSP has no syntax for a path under an IPv6 host, so such an origin is allowed as a whole. */
function connectSources(origins: string[]): string {
  const named = nameable(origins);
  if (named.length === 0 || named.length < origins.length) return "'self'";
  return named.flatMap((origin) => [`${origin}/dicomweb/t/`, `${origin}/viewer/`]).join(" ");
}

function nameable(origins: string[]): string[] {
  return origins.filter((origin) => !origin.includes("//["));
}
