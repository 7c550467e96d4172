import { type PackableFile, packedSizeBytes, storedSizeOf } from "../pack-folder/pack-folder.ts";

/** Whether one file alone is larger than an upload may be. */
export function isBeyondUpload(file: PackableFile, maxUploadBytes: number): boolean {
  // The name of a file that is nowhere near the limit need not be measured.
  return storedSizeOf(file) > maxUploadBytes / 2 && packedSizeBytes([file]) > maxUploadBytes;
}
