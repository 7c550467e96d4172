import type { ManifestInstance } from "../../../archive/manifest.ts";
import type { ByteRange } from "../../../storage/object-store.ts";
import type { Bytes, InstanceBytes } from "../dicomweb.catalogue.ts";
import { readRange } from "../frames/frame-bytes.ts";

/** Reads a range of the file, of a deflated one as it is inflated. */
export function readFile(
  reader: InstanceBytes,
  instance: ManifestInstance,
  { deflated }: { deflated?: boolean | undefined },
  range: ByteRange,
): Promise<Bytes> {
  return deflated ? reader.openInflated(instance, range) : readRange(reader, instance, range);
}
