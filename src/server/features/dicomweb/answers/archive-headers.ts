/**
 * Headers for uploaded content, which keep a browser from showing or running it. `contentType` is our own, never one that a file
 * declares.
 */
export function archiveHeaders(contentType: string): Record<string, string> {
  return {
    "Content-Type": contentType,
    "Content-Disposition": "attachment",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "no-referrer",
  };
}

/** As {@link archiveHeaders}, but the browser's private cache may keep a frame while the user scrolls, for who accepts the same. */
export function frameHeaders(contentType: string): Record<string, string> {
  return { ...archiveHeaders(contentType), "Cache-Control": "private", Vary: "Accept" };
}
