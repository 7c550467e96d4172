import { memorySource } from "../../../../shared/dicom/reading/memory-source.ts";
import { TransferSyntax } from "../../../../shared/dicom/transfer-syntax.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import { piecesOf } from "../../../archive/pieces.ts";
import type { Deps } from "../../../deps.ts";
import { type BulkDataLocation, locateBulkData } from "../../../dicom/bulk-data.ts";
import { firstPixelByte } from "../frames/open-header.ts";

/** No more of an instance is searched: in a larger one, only what stands before its pixel data is found. */
export const MAX_SEARCHED_BYTES = 256 * 1024 * 1024;
/** Shorter instances are searched in this process, which takes about 20 ms at most; longer ones in a process of their own. */
const MAX_SEARCHED_HERE_BYTES = 512 * 1024;
/** The time limit, including the wait for earlier searches. */
const MAX_SEARCH_MS = 30_000;
/** The shortest header of an element. */
const HEADER_BYTES = 8;

type SearchDeps = Pick<Deps, "series" | "scratch" | "elements">;
type Locations = readonly (BulkDataLocation | undefined)[];

/**
 * Finds the values at tag paths of the metadata in an instance, in one pass; undefined for each that it does not have. What is long is
 * written to a scratch file and searched by a separate process; nearly all values stand before the pixel data, which are read only
 * where one does not.
 */
export async function locateElements(
  deps: SearchDeps,
  instance: ManifestInstance,
  tagPaths: readonly string[],
): Promise<Locations> {
  const { frames, sizeBytes } = instance;
  if (isDeflatedDataSet(instance) || frames.kind === "none")
    return await locateWithin(deps, instance, sizeBytes, tagPaths);
  const head = firstPixelByte(frames);
  const inHead = await locateWithin(deps, instance, head, tagPaths);
  // The pixel data themselves are cut off there.
  const found = inHead.map((location) =>
    location && location.offset + location.length <= head - HEADER_BYTES ? location : undefined,
  );
  const others = tagPaths.filter((_, index) => !found[index]);
  if (others.length === 0) return found;
  const behind = (await locateWithin(deps, instance, sizeBytes, others)).values();
  return found.map((location) => location ?? behind.next().value);
}

/** As {@link locateElements}, in the first `length` bytes of the file. */
async function locateWithin(
  { series, scratch, elements }: SearchDeps,
  instance: ManifestInstance,
  length: number,
  tagPaths: readonly string[],
): Promise<Locations> {
  const deflated = isDeflatedDataSet(instance);
  const range = { offset: 0, length };
  if (!deflated && length <= MAX_SEARCHED_HERE_BYTES)
    return locateBulkData(memorySource(await series.read(instance, range)), tagPaths);
  const none = tagPaths.map(() => undefined);
  if (length > MAX_SEARCHED_BYTES) return none;
  const body = await (deflated ? series.openInflated(instance) : series.open(instance, range));
  await using file = await scratch.spool(piecesOf(body), MAX_SEARCHED_BYTES);
  if (!file) return none;
  const { path, sizeBytes } = file;
  const signal = AbortSignal.timeout(MAX_SEARCH_MS);
  const located = await elements.find({ path, sizeBytes, tagPaths }, signal);
  return deflated ? located.map((location) => location && { ...location, deflated }) : located;
}

export function isDeflatedDataSet({ transferSyntaxUID }: ManifestInstance): boolean {
  return transferSyntaxUID === TransferSyntax.deflatedExplicitLittleEndian;
}
