import { zstdDecompressSync } from "node:zlib";
import { ManifestError } from "./manifest.errors.ts";

/**
 * Inflates one of the two zstd frames of a manifest, never to more than `inflatedBytes`. Blocks.
 * @throws {ManifestError} if it does not inflate to exactly so many
 */
export function inflateSection(section: Uint8Array, inflatedBytes: number): Uint8Array {
  let inflated: Uint8Array;
  try {
    inflated = zstdDecompressSync(section, { maxOutputLength: Math.max(1, inflatedBytes) });
  } catch (cause) {
    throw new ManifestError("a section does not inflate", { cause });
  }
  return assertSectionLength(inflated, inflatedBytes);
}

/** @throws {ManifestError} */
export function assertSectionLength(inflated: Uint8Array, inflatedBytes: number): Uint8Array {
  if (inflated.length !== inflatedBytes)
    throw new ManifestError("a section is not as long as its header says");
  return inflated;
}
