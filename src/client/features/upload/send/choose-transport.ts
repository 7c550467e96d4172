import { resumableTransport } from "./resumable-transport.ts";
import { formTransport, type UploadTransport } from "./upload-transport.ts";

/** A smaller ZIP goes in one request: to begin it again costs less than to ask where it stands. */
const RESUMABLE_FROM_BYTES = 1024 ** 2;

/** The way for a ZIP of this size. */
export function transportFor(sizeBytes: number): UploadTransport {
  return sizeBytes >= RESUMABLE_FROM_BYTES ? resumableTransport : formTransport;
}
