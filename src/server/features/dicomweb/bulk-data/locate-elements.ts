import { memorySource } from "../../../../shared/dicom/reading/memory-source.ts";
import { isDeflatedDataSet } from "../../../../shared/dicom/transfer-syntax.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import { piecesOf } from "../../../archive/pieces.ts";
import type { Deps } from "../../../deps.ts";
import { type BulkDataLocation, locateBulkData } from "../../../dicom/bulk-data.ts";
import type { Bytes } from "../dicomweb.catalogue.ts";
import { firstPixelByte } from "../frames/open-header.ts";
import type { Searcher } from "../turns/searcher.ts";
import { withPatience } from "../turns/with-patience.ts";

/** No more of an instance is searched: in a larger one, only what stands before its pixel data is found. */
export const MAX_SEARCHED_BYTES = 256 * 1024 * 1024;
/** Shorter instances are searched in this process, which takes about 20 ms at most; longer ones in a process of their own. */
const MAX_SEARCHED_HERE_BYTES = 512 * 1024;
/** The shortest header of an element. */
const HEADER_BYTES = 8;

interface SearchDeps extends Pick<Deps, "series" | "scratch" | "elements"> {
  searcher: Searcher;
}
type Locations = readonly (BulkDataLocation | undefined)[];

/**
 * Finds the values at tag paths of the metadata in an instance, in one pass; undefined for each that it does not have. What is long is
 * written to a scratch file and searched by a separate process; nearly all values stand before the pixel data, which are read only
 * where one does not.
 * @param maxWaitMs how long the search of a file waits for others', and may take
 * @throws {AppError} 503 with Retry-After if it takes longer
 */
export async function locateElements(
  deps: SearchDeps,
  instance: ManifestInstance,
  tagPaths: readonly string[],
  maxWaitMs?: number,
): Promise<Locations> {
  const { frames, sizeBytes } = instance;
  const within = (length: number, paths: readonly string[]) =>
    locateWithin(deps, instance, { length, tagPaths: paths, maxWaitMs });
  if (isDeflatedDataSet(instance.transferSyntaxUID) || frames.kind === "none")
    return await within(sizeBytes, tagPaths);
  const head = firstPixelByte(frames);
  const inHead = await within(head, tagPaths);
  // The pixel data themselves are cut off there.
  const found = inHead.map((location) =>
    location && location.offset + location.length <= head - HEADER_BYTES ? location : undefined,
  );
  const others = tagPaths.filter((_, index) => !found[index]);
  if (others.length === 0) return found;
  const behind = (await within(sizeBytes, others)).values();
  return found.map((location) => location ?? behind.next().value);
}

interface Sought {
  /** How much of the file is searched, in bytes from its beginning. */
  length: number;
  tagPaths: readonly string[];
  maxWaitMs: number | undefined;
}

async function locateWithin(
  deps: SearchDeps,
  instance: ManifestInstance,
  { length, tagPaths, maxWaitMs }: Sought,
): Promise<Locations> {
  const { series, elements, searcher } = deps;
  const deflated = isDeflatedDataSet(instance.transferSyntaxUID);
  const range = { offset: 0, length };
  if (!deflated && length <= MAX_SEARCHED_HERE_BYTES)
    return locateBulkData(memorySource(await series.read(instance, range)), tagPaths);
  if (length > MAX_SEARCHED_BYTES) return tagPaths.map(() => undefined);
  const open = () => (deflated ? series.openInflated(instance) : series.open(instance, range));
  const located = await elements.inTurn(searcher, () => locateInFile(deps, open, tagPaths, maxWaitMs));
  return deflated ? located.map((location) => location && { ...location, deflated }) : located;
}

async function locateInFile(
  { scratch, elements }: SearchDeps,
  open: () => Promise<Bytes>,
  tagPaths: readonly string[],
  maxWaitMs: number | undefined,
): Promise<Locations> {
  await using file = await scratch.spool(piecesOf(await open()), MAX_SEARCHED_BYTES);
  if (!file) return tagPaths.map(() => undefined);
  const { path, sizeBytes } = file;
  return await withPatience(
    undefined,
    (limit) => elements.find({ path, sizeBytes, tagPaths }, limit),
    maxWaitMs,
  );
}
