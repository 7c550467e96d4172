import { resumableTransport } from "./resumable-transport.ts";
import { formTransport, type UploadTransport } from "./upload-transport.ts";

/**
 * A smaller ZIP goes in one request: to begin it again costs less than to ask where it stands. With its form it is smaller than what nginx
 * lets pass unless it is told otherwise (1 MiB).
 */
const RESUMABLE_FROM_BYTES = 900 * 1024;

/** The way for a ZIP of this size. */
export function transportFor(sizeBytes: number): UploadTransport {
  return sizeBytes >= RESUMABLE_FROM_BYTES ? resumableTransport : formTransport;
}
