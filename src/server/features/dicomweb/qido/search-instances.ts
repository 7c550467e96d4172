import { setImmediate } from "node:timers/promises";
import { dataSetText } from "../../../../shared/dicom/reading/data-set-text.ts";
import type { DicomJson } from "../../../../shared/dicom/reading/instance.ts";
import { TagHex } from "../../../../shared/dicom/tags.ts";
import type { SeriesManifest } from "../../../archive/manifest.ts";
import { MAX_WRITTEN_METADATA_BYTES } from "../../../archive/manifest-codec.ts";
import { AppError } from "../../../http/app-error.ts";
import type { HeldWhileSent } from "../../../http/stream-of.ts";
import { readAhead } from "../../../runtime/read-ahead.ts";
import { SERIES_AHEAD } from "../catalogue/catalogue-paths.ts";
import type { FoundSeries, Named, StoredMetadata } from "../dicomweb.catalogue.ts";
import { searchTooBroad } from "../dicomweb.errors.ts";
import type { SeriesUIDs } from "../dicomweb.repo.ts";
import { prefixedAtOnce } from "../metadata/metadata.ts";
import { MetadataCutter } from "../metadata/metadata-cutter.ts";
import type { SearchTurns } from "../turns/search-turns.ts";
import type { Searcher } from "../turns/searcher.ts";
import { filtersOf, isIndexed } from "./list-filters.ts";
import { matchesAll } from "./match-json.ts";
import type { QidoQuery } from "./parse-qido.ts";
import { type Level, levelOf } from "./qido-attributes.ts";
import { fieldPicker, instanceJson } from "./qido-json.ts";
import type { QidoMatch } from "./qido-match.ts";
import { shortElements } from "./short-elements.ts";

/** A series whose instances are searched. */
export interface SearchedSeries extends Named {
  instanceCount: number;
  /** What the answer says of the study and the series. */
  known: DicomJson;
  find(): Promise<FoundSeries | undefined>;
}

export interface InstanceSearch {
  query: QidoQuery;
  baseUrl: string | undefined;
  /** The most series whose metadata are read for one search. */
  maxSeries: number;
  /** The most series of which one search looks at the list of instances. */
  maxLists: number;
  /** What an answer is about. */
  levels: readonly Level[];
  turns: SearchTurns;
  searcher: Searcher;
  /** The request's, which ends a search that nobody waits for. */
  signal?: AbortSignal | undefined;
}

export interface FoundInstances {
  /** The JSON of each. */
  items: Uint8Array[];
  /** Whether the page ends early, because one search reads no further. */
  isCut?: boolean;
  /** The place of a large answer, until it is sent. */
  held: HeldWhileSent | undefined;
}

/** What one search reads of series' metadata. */
const MAX_METADATA_BYTES = 64 * 1024 * 1024;
/** What one search inflates to get to the instances that it reads, so that pages reach the last one of any series; it takes a second. */
const MAX_PASSED_BYTES = MAX_WRITTEN_METADATA_BYTES;
/** Of larger metadata of an instance only the short elements are parsed. */
const MAX_INSTANCE_BYTES = 256 * 1024;
const SHORT_ELEMENTS = { longest: 16 * 1024, most: MAX_INSTANCE_BYTES };
/** Metadata of an instance that are larger still are not read. */
const MAX_READ_BYTES = 8 * 1024 * 1024;
/** What one search answers, as JSON. */
export const MAX_ANSWER_BYTES = 20 * 1024 * 1024;
/** More is a large answer. */
const MAX_SMALL_BYTES = 2 * 1024 * 1024;
const INSTANCES_A_TURN = 50;
const LISTED_A_TURN = 1_000;
/** Metadata that are parsed in one turn of the event loop. */
const BYTES_A_TURN = 256 * 1024;

/** After so much, what was parsed is collected: the engine would let it grow to a hundred megabytes first. */
const COLLECTED_BYTES = 4 * 1024 * 1024;
/** Of all searches of the process, since the last collection. */
let uncollectedBytes = 0;

/**
 * Finds a page of instances and one more, if there is one. Without a filter on instances, series before the page are not opened.
 * Each is returned as the bytes of its answer, because parsed metadata take several times as much memory.
 * @throws {AppError} `search.too_broad` before more series or metadata are read or answered than one search may; 503 with
 * Retry-After
 */
export async function searchInstances(
  allSeries: Iterable<SearchedSeries> | AsyncIterable<SearchedSeries>,
  search: InstanceSearch,
): Promise<FoundInstances> {
  const { turns, searcher, signal } = search;
  const find = async () => {
    const found: FoundInstances = { items: [], held: undefined };
    let sizeBytes = 0;
    try {
      for await (const item of matchingInstances(allSeries, search)) {
        if (item === "cut") return { ...found, isCut: true };
        sizeBytes += item.length;
        if (sizeBytes > MAX_ANSWER_BYTES) throw new AppError(searchTooBroad);
        if (sizeBytes > MAX_SMALL_BYTES) found.held ??= turns.holdLarge(searcher);
        found.items.push(item);
      }
      return found;
    } catch (error) {
      found.held?.[Symbol.dispose]();
      throw error;
    }
  };
  return await turns.run(searcher, find, signal);
}

/**
 * Yields `"cut"` at last if a page that nothing narrows would need more series than one search reads, and if a search for UIDs has found
 * something: an instance is hardly ever kept twice.
 */
async function* matchingInstances(
  allSeries: Iterable<SearchedSeries> | AsyncIterable<SearchedSeries>,
  { query, baseUrl, maxSeries, maxLists, levels, signal }: InstanceSearch,
): AsyncGenerator<Uint8Array | "cut"> {
  const { limit, offset, include } = query;
  const matches = query.matches.filter(({ path: [first] }) => first && levelOf(first.tag) === "instance");
  const [byIndex, byMetadata] = [matches.filter(isIndexed), matches.filter((match) => !isIndexed(match))];
  const wantsMetadata =
    byMetadata.length > 0 || include === "all" || [...include].some((tag) => levelOf(tag) === "instance");
  const pickFields = fieldPicker(query, levels);
  let left = limit + 1;
  const page = { left: offset };
  let seriesLeft = maxSeries;
  let listsLeft = maxLists;
  const isWholePage = matches.length === 0;
  const namesInstances = byIndex.some(({ path, wanted }) => {
    return path[0]?.tag === TagHex.SOPInstanceUID && wanted.kind === "list";
  });
  const passedBytesLeft = wantsMetadata ? MAX_PASSED_BYTES : MAX_METADATA_BYTES;
  const budget = { readBytesLeft: MAX_METADATA_BYTES, passedBytesLeft, wantsMetadata };
  let begun = 0;
  const read = async (series: SoughtSeries) => {
    // The search ends at the last list.
    if (series === UNLESS_FULL || begun++ >= maxLists) return undefined;
    const found = await series.find();
    // A series whose list has no match needs no metadata.
    await found?.warm(byIndex.length === 0);
    return found;
  };
  const bytesOf = (series: SoughtSeries) =>
    series === UNLESS_FULL ? Number.POSITIVE_INFINITY : SERIES_AHEAD.bytesOf(series);
  const sought = isWholePage ? seriesOfPage(allSeries, page, { wanted: left, maxSeries }) : allSeries;
  for await (const { item: series, result } of readAhead(sought, read, { ...SERIES_AHEAD, bytesOf })) {
    if (series === UNLESS_FULL) continue;
    if (left === 0) return;
    if (signal?.aborted) return yield "cut";
    const isOver = seriesLeft <= 0 || (listsLeft <= 0 && namesInstances);
    if ((isWholePage || namesInstances) && isOver && left <= limit) return yield "cut";
    if (listsLeft-- <= 0 || seriesLeft <= 0) throw new AppError(searchTooBroad);
    const found = await result;
    const manifest = await found?.manifest();
    if (!manifest) continue;
    const { byList, byWhole } = filtersOf(manifest, { byIndex, byMetadata });
    if (!found || !(await hasMatch(manifest, byList))) continue;
    budget.wantsMetadata = wantsMetadata || byWhole.length > 0;
    seriesLeft--;
    const stored = await found.metadata();
    const skipping = byWhole.length === 0 ? page : { left: 0 };
    const { reference } = series;
    const bulkPrefix = bulkPrefixOf({ ...manifest, reference }, baseUrl, levels);
    const describing = { byIndex: byList, skipping, baseUrl, bulkPrefix, reference, budget };
    for await (const json of describe(manifest, stored, describing)) {
      if (signal?.aborted) return yield "cut";
      const whole = { ...series.known, ...json };
      if (!matchesAll(whole, byWhole)) continue;
      if (page.left > 0) {
        page.left--;
        continue;
      }
      yield Buffer.from(dataSetText(pickFields(whole)));
      if (--left === 0) return;
    }
  }
}

/** Stands before a series that is needed only if those before it do not fill the page, so that it is not looked up ahead. */
const UNLESS_FULL = "unless full";
type SoughtSeries = SearchedSeries | typeof UNLESS_FULL;

/** Passes over the series before the page, which it counts down. */
async function* seriesOfPage(
  allSeries: Iterable<SearchedSeries> | AsyncIterable<SearchedSeries>,
  page: { left: number },
  { wanted, maxSeries }: { wanted: number; maxSeries: number },
): AsyncGenerator<SoughtSeries> {
  let unfilled: number | undefined;
  let seriesLeft = maxSeries;
  for await (const series of allSeries) {
    if (unfilled === undefined && series.instanceCount <= page.left) {
      page.left -= series.instanceCount;
      continue;
    }
    unfilled ??= page.left + wanted;
    yield series;
    unfilled -= series.instanceCount;
    if (unfilled <= 0 || --seriesLeft <= 0) yield UNLESS_FULL;
  }
}

/** Whether the list of instances has one that matches as far as the list tells. */
async function hasMatch(manifest: SeriesManifest, byIndex: readonly QidoMatch[]): Promise<boolean> {
  if (byIndex.length === 0) return true;
  for (const [index, instance] of manifest.instances.entries()) {
    if (index % LISTED_A_TURN === LISTED_A_TURN - 1) await setImmediate();
    if (matchesAll(instanceJson(manifest, instance), byIndex)) return true;
  }
  return false;
}

interface Describing {
  byIndex: readonly QidoMatch[];
  /** How many matching instances are passed over without reading what the metadata say of them; counted down. */
  skipping: { left: number };
  baseUrl: string | undefined;
  /** Leads from the address of the search to that of the series. */
  bulkPrefix: string;
  reference: string | undefined;
  budget: Budget;
}

/** What the search may still read and pass over; without it, one that needs no metadata answers what the index knows. */
interface Budget {
  readBytesLeft: number;
  passedBytesLeft: number;
  wantsMetadata: boolean;
}

/** Where each `BulkDataURI` of a series begins: absolute, or relative to a search within the study or the series. */
function bulkPrefixOf(
  { studyInstanceUID, seriesInstanceUID, reference = studyInstanceUID }: SeriesUIDs & Named,
  baseUrl: string | undefined,
  levels: readonly Level[],
): string {
  if (baseUrl !== undefined) return `${baseUrl}/studies/${reference}/series/${seriesInstanceUID}/`;
  return levels.includes("series") ? `series/${seriesInstanceUID}/` : "";
}

/** What is known of each matching instance, read in one pass over the metadata. @throws {AppError} `search.too_broad` */
async function* describe(
  manifest: SeriesManifest,
  stored: StoredMetadata,
  { byIndex, skipping, baseUrl, bulkPrefix, reference, budget }: Describing,
): AsyncGenerator<DicomJson> {
  const ranges = await stored.ranges();
  await using texts = new MetadataCutter(stored);
  const { studyInstanceUID, seriesInstanceUID } = manifest;
  const uids = { studyInstanceUID, seriesInstanceUID };
  let parsedBytes = 0;
  let end = 0;
  for (const [index, instance] of manifest.instances.entries()) {
    if (index % INSTANCES_A_TURN === INSTANCES_A_TURN - 1) await setImmediate();
    const json = instanceJson({ ...uids, reference }, instance, baseUrl);
    if (!matchesAll(json, byIndex)) continue;
    if (skipping.left > 0) {
      skipping.left--;
      continue;
    }
    const range = ranges[index];
    const isReadable = range !== undefined && range.length <= MAX_READ_BYTES;
    const isWithin = isReadable && takeFrom(budget, { passed: range.offset - end, read: range.length });
    if (isReadable && !isWithin && budget.wantsMetadata) throw new AppError(searchTooBroad);
    if (isWithin) end = range.offset + range.length;
    const whole = isWithin ? await texts.cut(range) : undefined;
    const isLong = whole !== undefined && whole.length > MAX_INSTANCE_BYTES;
    const text = isLong ? shortElements(whole, SHORT_ELEMENTS) : whole;
    parsedBytes += whole?.length ?? 0;
    if (parsedBytes > BYTES_A_TURN) {
      countGarbage(parsedBytes);
      await setImmediate();
      parsedBytes = 0;
    }
    yield text ? withMetadata(json, parse(prefixedAtOnce(text, bulkPrefix))) : json;
  }
}

/** Takes bytes that are passed over and those behind them that are read; returns false, and takes none, if there are too many. */
function takeFrom(budget: Budget, { passed, read }: { passed: number; read: number }): boolean {
  if (passed > budget.passedBytesLeft || read > budget.readBytesLeft) return false;
  budget.passedBytesLeft -= passed;
  budget.readBytesLeft -= read;
  return true;
}

function countGarbage(bytes: number): void {
  uncollectedBytes += bytes;
  if (uncollectedBytes < COLLECTED_BYTES) return;
  uncollectedBytes = 0;
  Bun.gc(true);
}

/** The manifest does not know of copies in another transfer syntax. */
function withMetadata(json: DicomJson, metadata: DicomJson): DicomJson {
  const syntaxes = metadata[TagHex.AvailableTransferSyntaxUID];
  return { ...metadata, ...json, ...(syntaxes && { [TagHex.AvailableTransferSyntaxUID]: syntaxes }) };
}

function parse(text: Uint8Array): DicomJson {
  return JSON.parse(Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString("utf8")) as DicomJson;
}
