import { setImmediate } from "node:timers/promises";
import type { DicomJson } from "../../../shared/dicom/reading/instance.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import type { SeriesManifest } from "../../archive/manifest.ts";
import { inflatedMetadata } from "../../archive/manifest-codec.ts";
import { piecesOf } from "../../archive/pieces.ts";
import { AppError } from "../../http/app-error.ts";
import type { ByteRange } from "../../storage/object-store.ts";
import type { StoredMetadata } from "./dicomweb.catalogue.ts";
import { searchTooBroad } from "./dicomweb.errors.ts";
import { matchesAll } from "./match-json.ts";
import type { QidoMatch, QidoQuery } from "./parse-qido.ts";
import { levelOf } from "./qido-attributes.ts";
import { instanceJson } from "./qido-json.ts";

/** A series whose instances are searched. */
export interface SearchedSeries {
  instanceCount: number;
  /** What the answer says of the study and the series. */
  known: DicomJson;
  manifest(): Promise<SeriesManifest | undefined>;
  metadata(): Promise<StoredMetadata | undefined>;
}

export interface InstanceSearch {
  query: QidoQuery;
  baseUrl: string | undefined;
  /** The most series that are opened for one search. */
  maxSeries: number;
}

/** What one search inflates of series' metadata. */
const MAX_METADATA_BYTES = 64 * 1024 * 1024;
/** Larger metadata of an instance are not parsed. */
const MAX_INSTANCE_BYTES = 256 * 1024;
const INSTANCES_A_TURN = 50;

/** What the manifest knows; everything else is in the metadata. */
const INDEXED: ReadonlySet<string> = new Set([
  TagHex.SOPClassUID,
  TagHex.SOPInstanceUID,
  TagHex.StudyInstanceUID,
  TagHex.SeriesInstanceUID,
  TagHex.InstanceNumber,
  TagHex.NumberOfFrames,
  TagHex.Rows,
  TagHex.Columns,
]);

/**
 * Finds a page of instances and one more, if there is one. Without a filter on instances, series before the page are not opened.
 * @throws {AppError} `search.too_broad` before more series or metadata are read than one search may
 */
export async function searchInstances(
  allSeries: Iterable<SearchedSeries> | AsyncIterable<SearchedSeries>,
  { query, baseUrl, maxSeries }: InstanceSearch,
): Promise<DicomJson[]> {
  const { limit, offset, include } = query;
  const matches = query.matches.filter(({ path: [first] }) => first && levelOf(first.tag) === "instance");
  const isIndexed = ({ path: [first] }: QidoMatch) => first !== undefined && INDEXED.has(first.tag);
  const [byIndex, byMetadata] = [matches.filter(isIndexed), matches.filter((match) => !isIndexed(match))];
  const wantsMetadata =
    byMetadata.length > 0 || include === "all" || [...include].some((tag) => levelOf(tag) === "instance");
  const found: DicomJson[] = [];
  const page = { left: offset };
  let seriesLeft = maxSeries;
  let bytesLeft = MAX_METADATA_BYTES;
  for await (const series of allSeries) {
    if (found.length > limit) break;
    if (matches.length === 0 && series.instanceCount <= page.left) {
      page.left -= series.instanceCount;
      continue;
    }
    if (seriesLeft-- <= 0) throw new AppError(searchTooBroad);
    const manifest = await series.manifest();
    const stored = manifest && (await series.metadata());
    if (!manifest || !stored) continue;
    const isTooLarge = stored.inflatedBytes > bytesLeft;
    if (isTooLarge && wantsMetadata) throw new AppError(searchTooBroad);
    if (!isTooLarge) bytesLeft -= stored.inflatedBytes;
    const skipping = byMetadata.length === 0 ? page : { left: 0 };
    const described = describe(manifest, isTooLarge ? undefined : stored, { byIndex, skipping, baseUrl });
    for await (const json of described) {
      const whole = { ...series.known, ...json };
      if (!matchesAll(whole, byMetadata)) continue;
      if (page.left > 0) page.left--;
      else found.push(whole);
      if (found.length > limit) break;
    }
  }
  return found;
}

interface Describing {
  byIndex: readonly QidoMatch[];
  /** How many matching instances are passed over without reading what the metadata say of them; counted down. */
  skipping: { left: number };
  baseUrl: string | undefined;
}

/** What is known of each matching instance, read in one pass over the metadata. */
async function* describe(
  manifest: SeriesManifest,
  stored: StoredMetadata | undefined,
  { byIndex, skipping, baseUrl }: Describing,
): AsyncGenerator<DicomJson> {
  const ranges = await stored?.ranges();
  await using texts = new TextCutter(stored);
  for (const [index, instance] of manifest.instances.entries()) {
    if (index % INSTANCES_A_TURN === INSTANCES_A_TURN - 1) await setImmediate();
    const json = instanceJson(manifest, instance, baseUrl);
    if (!matchesAll(json, byIndex)) continue;
    if (skipping.left > 0) {
      skipping.left--;
      continue;
    }
    const range = ranges?.[index];
    const text = range && range.length <= MAX_INSTANCE_BYTES ? await texts.cut(range) : undefined;
    yield text ? withMetadata(json, parse(text)) : json;
  }
}

/** The manifest does not know of copies in another transfer syntax. */
function withMetadata(json: DicomJson, metadata: DicomJson): DicomJson {
  const syntaxes = metadata[TagHex.AvailableTransferSyntaxUID];
  return { ...metadata, ...json, ...(syntaxes && { [TagHex.AvailableTransferSyntaxUID]: syntaxes }) };
}

function parse(text: Uint8Array): DicomJson {
  return JSON.parse(Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString("utf8")) as DicomJson;
}

/** Cuts ranges out of inflated metadata, each behind the one before; opens the metadata for the first. */
class TextCutter implements AsyncDisposable {
  readonly #stored: StoredMetadata | undefined;
  #pieces: AsyncIterator<Uint8Array> | undefined;
  #held = Buffer.alloc(0);
  #start = 0;

  constructor(stored: StoredMetadata | undefined) {
    this.#stored = stored;
  }

  /** Undefined if the metadata end before. */
  async cut({ offset, length }: ByteRange): Promise<Uint8Array | undefined> {
    if (!this.#stored) return undefined;
    this.#pieces ??= inflatedMetadata(piecesOf(await this.#stored.open()))[Symbol.asyncIterator]();
    while (this.#start + this.#held.length < offset + length) {
      const { done, value } = await this.#pieces.next();
      if (done) return undefined;
      const drop = Math.min(this.#held.length, offset - this.#start);
      this.#held = Buffer.concat([this.#held.subarray(drop), value]);
      this.#start += drop;
    }
    return this.#held.subarray(offset - this.#start, offset - this.#start + length);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pieces?.return?.();
  }
}
