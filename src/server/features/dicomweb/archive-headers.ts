/**
 * Headers for what came from an upload: whatever it is, a browser shows and runs nothing of it. `contentType` is
 * ours, never one a file declares.
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

/** As {@link archiveHeaders}; a frame may stay in the browser's own cache while it is scrolled. */
export function frameHeaders(contentType: string): Record<string, string> {
  return { ...archiveHeaders(contentType), "Cache-Control": "private" };
}
