import { memorySource } from "../../../../shared/dicom/reading/memory-source.ts";
import { TransferSyntax } from "../../../../shared/dicom/transfer-syntax.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import { piecesOf } from "../../../archive/pieces.ts";
import type { Deps } from "../../../deps.ts";
import { type BulkDataLocation, locateBulkData } from "../../../dicom/bulk-data.ts";

/** Larger instances are not searched; only their pixel data are served. */
const MAX_SEARCHED_BYTES = 256 * 1024 * 1024;
/** An instance up to this size is searched in this process: reading its elements takes about 20 ms at most. */
const MAX_SEARCHED_HERE_BYTES = 512 * 1024;
/** The time limit, including the wait for earlier searches. */
const MAX_SEARCH_MS = 30_000;

/**
 * Finds the value at a tag path of the metadata in an instance; undefined if there is none. A large instance is written to a
 * scratch file and searched by a separate process.
 */
export async function locateElement(
  { series, scratch, elements }: Pick<Deps, "series" | "scratch" | "elements">,
  instance: ManifestInstance,
  tagPath: string,
): Promise<BulkDataLocation | undefined> {
  const deflated = instance.transferSyntaxUID === TransferSyntax.deflatedExplicitLittleEndian;
  if (!deflated && instance.sizeBytes <= MAX_SEARCHED_HERE_BYTES) {
    const file = await series.read(instance, { offset: 0, length: instance.sizeBytes });
    return locateBulkData(memorySource(file), tagPath);
  }
  if (instance.sizeBytes > MAX_SEARCHED_BYTES) return undefined;
  const body = await (deflated ? series.openInflated(instance) : series.open(instance));
  await using file = await scratch.spool(piecesOf(body), MAX_SEARCHED_BYTES);
  if (!file) return undefined;
  const { path, sizeBytes } = file;
  const signal = AbortSignal.timeout(MAX_SEARCH_MS);
  const location = await elements.find({ path, sizeBytes, tagPath }, signal);
  return location && { ...location, deflated };
}
