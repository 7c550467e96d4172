import type { ByteRange } from "../object-store.ts";
import { S3Nonsense } from "./s3-failure.ts";

/** @param range of at least one byte: HTTP can't ask for none (RFC 9110 §14.1.2) */
export function rangeHeader({ offset, length }: ByteRange): { range: string } {
  return { range: `bytes=${offset}-${offset + length - 1}` };
}

/** A store clips a range that reaches past the end, and may ignore it altogether. */
export function assertPartAnswered(headers: Headers, { offset, length }: ByteRange): void {
  const answered = /^bytes (\d+)-(\d+)\//.exec(headers.get("content-range") ?? "");
  if (Number(answered?.[1]) !== offset || Number(answered?.[2]) !== offset + length - 1) {
    throw new S3Nonsense("S3 answered another range than was asked for");
  }
}

/** @throws {S3Nonsense} if the answer has no length: a missing one must not be taken for an empty object */
export function contentLength(headers: Headers): number {
  const length = headers.get("content-length");
  if (!length || !/^\d{1,15}$/.test(length)) throw new S3Nonsense("S3 answered without a length");
  return Number(length);
}
