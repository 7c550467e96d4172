const MAX_HEADER_LENGTH = 2_000;

/**
 * Whether a client that sent this `If-None-Match` has the version already: any, or one of a list, compared as RFC 9110 §13.1.2 says,
 * without regard to which of both is called weak.
 */
export function isKnownVersion(ifNoneMatch: string | null | undefined, etag: string): boolean {
  if (!ifNoneMatch || ifNoneMatch.length > MAX_HEADER_LENGTH) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((known) => withoutWeak(known.trim()) === withoutWeak(etag));
}

function withoutWeak(etag: string): string {
  return etag.replace(/^W\//, "");
}
