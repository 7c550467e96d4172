/** Why an archive as a whole can't be read. */
export type ZipFailure =
  | "zip.not_zip"
  | "zip.malformed"
  | "zip.multi_disk"
  | "zip.too_many_entries"
  | "zip.directory_too_large"
  | "zip.overlap";

/** The archive as a whole can't be read. */
export class ZipError extends Error {
  override name = "ZipError";
  constructor(
    readonly code: ZipFailure,
    detail: string,
  ) {
    super(detail);
  }
}

export interface ZipLimits {
  maxEntries: number;
  maxCentralBytes: number;
}

export const DEFAULT_ZIP_LIMITS: ZipLimits = { maxEntries: 200_000, maxCentralBytes: 128 * 1024 * 1024 };
