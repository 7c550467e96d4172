import { type Content, isSameContent } from "../../../archive/content-hash.ts";
import type { KeptVariant, ManifestInstance } from "../../../archive/manifest.ts";
import { decodeManifestIndex } from "../../../archive/manifest-codec.ts";
import type { InstanceBytes, ScannedInstance, ScannedVariant, StudyScan } from "./scanned-upload.ts";
import type {
  ConflictingInstance,
  ManifestBytes,
  PlannedSeries,
  PlannedStudy,
  SkippedReason,
} from "./worker-messages.ts";

/** What is still right of a damaged volume, to be moved into a new one. */
export interface SalvagedEntry {
  salvaged: KeptEntry;
  bytes: InstanceBytes;
}

export type KeptEntry = ManifestInstance | KeptVariant;

/** Anything of an upload that has a place in a volume. */
export type Incoming = ScannedInstance | ScannedVariant;

/** Anything that is written into a volume. */
export type Placeable = Incoming | SalvagedEntry;

/** The instances that an upload brings to a series. */
export interface TouchedSeries extends PlannedSeries {
  /** Under SOP Instance UIDs that the study does not hold yet. */
  fresh: ScannedInstance[];
  /** Other bytes than those shown under the same SOP Instance UID. */
  variants: Incoming[];
  /** What takes the place of entries of lost volumes, with the same bytes, by the manifest entry kept of these. */
  healed: Map<KeptEntry, Placeable>;
}

export interface SortedStudy {
  series: TouchedSeries[];
  /** Instances of the upload that the study has already. */
  duplicateNames: string[];
  /** The volumes, none of them lost, that hold such instances. */
  duplicateVolumes: Set<string>;
  conflicts: ConflictingInstance[];
  leftOut: { name: string; reason: SkippedReason }[];
  /** What the upload does not bring of the lost volumes. */
  lost: LostEntry[];
}

export interface LostEntry {
  series: TouchedSeries;
  kept: KeptEntry;
}

/** Everything that a study holds under one SOP Instance UID; the first is the one shown. */
interface Known {
  series: TouchedSeries;
  contents: { content: Content; volumeId?: string; lost?: KeptEntry }[];
}

/** Sorts a study's instances of an upload by what is kept already. */
export async function sortInstances(
  planned: PlannedStudy,
  study: StudyScan,
  maxVariants: number,
): Promise<SortedStudy> {
  const sorted: SortedStudy = {
    series: [],
    duplicateNames: [],
    duplicateVolumes: new Set(),
    conflicts: [],
    leftOut: [],
    lost: [],
  };
  const known = new Map<string, Known>();
  const sorting = { sorted, known, maxVariants };
  const lostVolumes = new Set(planned.lostVolumes);
  for (const plannedSeries of planned.series) {
    const series = { ...plannedSeries, fresh: [], variants: [], healed: new Map() };
    sorted.series.push(series);
    if (plannedSeries.existing) learn(known, series, await bytesOf(plannedSeries.existing), lostVolumes);
  }
  for (const series of sorted.series) {
    const instances = study.series.get(series.seriesInstanceUID)?.instances ?? [];
    // The names in a lost manifest are unknown, so its replacement must have at least as many instances.
    const isPart = instances.length < (series.lostInstances ?? 0);
    for (const instance of instances) {
      if (isPart) sorted.leftOut.push({ name: instance.name, reason: "series.damaged" });
      else sort(sorting, series, instance.described.sopInstanceUID, instance);
    }
  }
  for (const variant of study.variants) {
    const first = known.get(variant.sopInstanceUID);
    if (first) sort(sorting, first.series, variant.sopInstanceUID, variant);
    else sorted.leftOut.push({ name: variant.name, reason: "series.damaged" });
  }
  for (const { series, contents } of known.values())
    for (const { lost } of contents) if (lost) sorted.lost.push({ series, kept: lost });
  return sorted;
}

export async function bytesOf(manifest: ManifestBytes): Promise<Uint8Array> {
  return manifest instanceof Uint8Array ? manifest : await Bun.file(manifest.path).bytes();
}

function learn(
  known: Map<string, Known>,
  series: TouchedSeries,
  manifest: Uint8Array,
  lostVolumes: ReadonlySet<string>,
): void {
  const { instances, variants = [] } = decodeManifestIndex(manifest);
  for (const kept of [...instances, ...variants]) {
    const contents: Known["contents"] = known.get(kept.sopInstanceUID)?.contents ?? [];
    const { volumeId } = kept;
    contents.push({ content: kept, ...(lostVolumes.has(volumeId) ? { lost: kept } : { volumeId }) });
    known.set(kept.sopInstanceUID, { series, contents });
  }
}

function sort(
  { sorted, known, maxVariants }: { sorted: SortedStudy; known: Map<string, Known>; maxVariants: number },
  series: TouchedSeries,
  sopInstanceUID: string,
  incoming: Incoming,
): void {
  const { name, bytes } = incoming;
  const same = known.get(sopInstanceUID);
  if (!same && "described" in incoming) {
    known.set(sopInstanceUID, { series, contents: [{ content: bytes }] });
    series.fresh.push(incoming);
    return;
  }
  if (!same) throw new RangeError("a variant of nothing");
  const match = same.contents.find(({ content }) => isSameContent(content, bytes));
  if (match !== same.contents[0]) sorted.conflicts.push({ name, sopInstanceUID });
  if (match) {
    sorted.duplicateNames.push(name);
    if (match.volumeId !== undefined) sorted.duplicateVolumes.add(match.volumeId);
    if (match.lost) same.series.healed.set(match.lost, incoming);
    delete match.lost;
  } else if (same.contents.length > maxVariants) {
    sorted.leftOut.push({ name, reason: "instance.too_many_variants" });
  } else {
    same.contents.push({ content: bytes });
    same.series.variants.push(incoming);
  }
}
