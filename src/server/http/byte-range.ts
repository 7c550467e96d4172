import type { ByteRange } from "../storage/object-store.ts";
import { AppError } from "./app-error.ts";
import { rangeNotSatisfiable } from "./http.errors.ts";

/**
 * The single range a `Range` header asks of a body of `sizeBytes` (RFC 9110 §14.2): `undefined` for the whole
 * body (no header, another unit, several ranges), `"unsatisfiable"` if it lies outside.
 */
export function parseByteRange(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | "unsatisfiable" | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.replace(/\s+/g, "") ?? "");
  if (!match || (match[1] === "" && match[2] === "")) return undefined;
  const [, first = "", last = ""] = match;
  if (first === "") {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? "unsatisfiable" : { offset: sizeBytes - length, length };
  }
  const offset = Number(first);
  const end = last === "" ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  if (offset >= sizeBytes) return "unsatisfiable";
  if (end < offset) return undefined;
  return { offset, length: end - offset + 1 };
}

/** What of a request says which part of a body it asks for. */
export type RangeRequest = Pick<Request, "method" | "headers">;

/**
 * The single range that a request asks of a body of `sizeBytes`, as {@link parseByteRange}; `undefined` also if its `If-Range` names
 * another version than `etag`, or a weak one (RFC 9110 §13.1.5), and for HEAD, which has no ranges (§14.2). A body without a version
 * has no `etag`.
 */
export function requestedRange(
  { method, headers }: RangeRequest,
  etag: string | undefined,
  sizeBytes: number,
): ReturnType<typeof parseByteRange> {
  if (method !== "GET" || !isForVersion(headers, etag)) return undefined;
  return parseByteRange(headers.get("range") ?? undefined, sizeBytes);
}

/**
 * Whether a request asks for one or several parts of the version `etag`. Several are answered whole (RFC 9110 §14.2), and are still a
 * part of the download of which others came before.
 */
export function asksForParts(headers: Headers, etag: string): boolean {
  const [, ranges] = /^bytes=([\d,-]{1,4000})$/i.exec(headers.get("range")?.replace(/\s+/g, "") ?? "") ?? [];
  const isOfParts = ranges?.split(",").every((range) => /^(?:\d+-\d*|-\d+)$/.test(range)) ?? false;
  return isOfParts && isForVersion(headers, etag);
}

/** Whether `If-Range` is absent or names this version (RFC 9110 §13.1.5). */
function isForVersion(headers: Headers, etag: string | undefined): boolean {
  const ifRange = headers.get("if-range");
  return ifRange === null || (ifRange === etag && !ifRange.startsWith("W/"));
}

/** As {@link requestedRange}. @throws {AppError} 416 if the range lies outside */
export function satisfiedRange(
  request: RangeRequest,
  etag: string,
  sizeBytes: number,
): ByteRange | undefined {
  const range = requestedRange(request, etag, sizeBytes);
  if (range !== "unsatisfiable") return range;
  throw new AppError(rangeNotSatisfiable, {
    members: { sizeBytes },
    headers: { "Content-Range": contentRange(range, sizeBytes) },
  });
}

/** The value of `Content-Range` (RFC 9110 §14.4) for a range of a body of `sizeBytes`. */
export function contentRange(range: ByteRange | "unsatisfiable", sizeBytes: number): string {
  if (range === "unsatisfiable") return `bytes */${sizeBytes}`;
  const { offset, length } = range;
  return `bytes ${offset}-${offset + length - 1}/${sizeBytes}`;
}
