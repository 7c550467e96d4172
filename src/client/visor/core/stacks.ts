import type { DicomJson } from "../../../shared/dicom/dicom-json.ts";
import { numberOf, textOf } from "../../../shared/dicom/json-values.ts";
import { isDrawnOverOthers } from "../../../shared/dicom/sop-class.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { functionalGroups } from "../../../shared/pixels/pixel-module.ts";
import { readGeometry, type SliceGeometry } from "./geometry.ts";
import type { FrameAddress, SeriesRecord } from "./source.ts";

/** One image of a stack. */
export interface Slice extends FrameAddress {
  /** Unique among all slices. */
  key: string;
  metadata: DicomJson;
  geometry: SliceGeometry;
}

/** Images that are scrolled through. */
export interface Stack {
  key: string;
  series: SeriesRecord;
  slices: Slice[];
  /** Of all its images, in s/mm², where a series has several b-values at the same places. */
  bValue?: number | undefined;
  /** Frames a second of images that are played; undefined for slices of a body. */
  framesPerSecond: number | undefined;
  /** How long each frame is shown at that rate, in milliseconds; undefined if all are shown equally long. */
  frameTimesMs?: readonly number[] | undefined;
  /** There are more images than can be shown. */
  isCut: boolean;
  /** It has its first image alone, until the others are known. */
  isBegun?: boolean;
}

/** More images than any stack has. An instance that claims more counts as having this many. */
const MAX_SLICES = 16_384;
/** The most slices of all films of one series together. Each further film has its first frame only. */
const MAX_FILM_SLICES = 4 * MAX_SLICES;
const MAX_RATE = 60;
const USUAL_RATE = 24;
/** Nothing is told by a film that stands still for longer. */
const MAX_FRAME_MS = 60_000;

/** Makes stacks of a series: slices in the order of their positions, split where scrolling would jump. */
export function buildStacks(series: SeriesRecord, instances: readonly DicomJson[]): Stack[] {
  const groups = new Map<string, Slice[]>();
  const films: Stack[] = [];
  let filmed = 0;
  for (const metadata of instances) {
    if (!hasPixels(metadata)) continue;
    const claimed = Math.floor(numberOf(metadata[TagHex.NumberOfFrames]) ?? 1);
    if (claimed > 1) {
      const own = stacksOfFrames(series, metadata, { claimed, atMost: MAX_FILM_SLICES - filmed });
      filmed += own.reduce((sum, { slices }) => sum + slices.length, 0);
      films.push(...own);
      continue;
    }
    const slice = sliceOf(series, metadata, 0);
    const key = groupOf(slice);
    const group = groups.get(key);
    if (group) group.push(slice);
    else groups.set(key, [slice]);
  }
  const stacks = [...groups.values()].flatMap(bodiesOf).map(({ slices, bValue }) => ({
    key: slices[0]?.key ?? "",
    series,
    slices: slices.slice(0, MAX_SLICES),
    bValue,
    framesPerSecond: undefined,
    isCut: slices.length > MAX_SLICES,
  }));
  return [...stacks, ...films].sort((a, b) => instanceNumber(a.slices[0]) - instanceNumber(b.slices[0]));
}

/**
 * The one to begin with: not a scout, and the one with the most images.
 * @param seenKey of several with as many the one that has this slice
 */
export function mainStack(stacks: readonly Stack[], seenKey?: string): Stack | undefined {
  const isSeen = ({ slices }: Stack) => seenKey !== undefined && slices.some(({ key }) => key === seenKey);
  const weight = (stack: Stack) =>
    (isScout(stack.slices[0]) ? 0 : stack.slices.length) + (isSeen(stack) ? 0.5 : 0);
  return stacks.reduce<Stack | undefined>(
    (best, stack) => (!best || weight(stack) > weight(best) ? stack : best),
    undefined,
  );
}

export function isScout(slice: Pick<Slice, "metadata"> | undefined): boolean {
  const kinds = slice?.metadata[TagHex.ImageType]?.Value ?? [];
  return kinds.some((kind) => typeof kind === "string" && /LOCALIZER|SCOUT/.test(kind));
}

/** Whether the instance is drawn by itself. */
export function hasPixels(metadata: DicomJson): boolean {
  if (isDrawnOverOthers(textOf(metadata[TagHex.SOPClassUID]) ?? "")) return false;
  return metadata[TagHex.PhotometricInterpretation] !== undefined && metadata[TagHex.Rows] !== undefined;
}

function sliceOf(series: SeriesRecord, metadata: DicomJson, frameIndex: number): Slice {
  const sopInstanceUID = textOf(metadata[TagHex.SOPInstanceUID]) ?? "";
  const { studyInstanceUID, seriesInstanceUID } = series;
  return {
    studyInstanceUID,
    seriesInstanceUID,
    sopInstanceUID,
    frameIndex,
    key: `${sopInstanceUID}/${frameIndex}`,
    metadata,
    geometry: readGeometry(metadata, frameIndex),
  };
}

/** One film, or the stacks of a body's slices. */
function stacksOfFrames(
  series: SeriesRecord,
  metadata: DicomJson,
  { claimed, atMost }: { claimed: number; atMost: number },
): Stack[] {
  const count = Math.max(1, Math.min(claimed, atMost, MAX_SLICES));
  const frames = Array.from({ length: count }, (_, frameIndex) => sliceOf(series, metadata, frameIndex));
  const directions = directionsOf(frames);
  const locations = new Set(frames.map(({ geometry }) => geometry.location));
  const bodies =
    directions && (directions.length > 1 || locations.size > 1) ? directions.flatMap(bodiesOfDirection) : [];
  const isCut = claimed > count;
  if (bodies.length === 0) {
    return [{ key: frames[0]?.key ?? "", series, slices: frames, ...timesOf(metadata, count), isCut }];
  }
  return bodies.map(({ slices, bValue }) => ({
    key: slices[0]?.key ?? "",
    series,
    slices,
    bValue,
    framesPerSecond: undefined,
    isCut,
  }));
}

/** The Cine Module's times (PS3.3 C.7.6.5). */
function timesOf(
  metadata: DicomJson,
  count: number,
): { framesPerSecond: number; frameTimesMs?: readonly number[] | undefined } {
  // A rate of 0 says nothing.
  const declared =
    numberOf(metadata[TagHex.RecommendedDisplayFrameRate]) || numberOf(metadata[TagHex.CineRate]);
  const frameTime = numberOf(metadata[TagHex.FrameTime]);
  const rate = declared || (frameTime && 1000 / frameTime);
  if (rate) return { framesPerSecond: rateOf(rate) };
  const increments = metadata[TagHex.FrameTimeVector]?.Value?.slice(1, count) ?? [];
  const times = increments.filter((time): time is number => typeof time === "number" && time > 0);
  const meanMs = times.reduce((sum, time) => sum + time, 0) / times.length;
  const framesPerSecond = rateOf(meanMs ? 1000 / meanMs : USUAL_RATE);
  if (times.length !== count - 1 || new Set(times).size < 2) return { framesPerSecond };
  // The vector says how long after the frame before it a frame comes. Nothing says how long the last one lasts.
  const bounded = [...times, meanMs].map((time) => Math.min(MAX_FRAME_MS, Math.max(1000 / MAX_RATE, time)));
  return { framesPerSecond, frameTimesMs: bounded };
}

function rateOf(rate: number): number {
  return rate >= 1 ? Math.min(MAX_RATE, Math.round(rate)) : rate > 0 ? 1 : USUAL_RATE;
}

/** Slices of one group have one size and one echo. */
function groupOf({ metadata }: Slice): string {
  const size = [TagHex.Rows, TagHex.Columns, TagHex.SamplesPerPixel].map((tag) => numberOf(metadata[tag]));
  return [...size, numberOf(metadata[TagHex.EchoNumbers])].join(" ");
}

/** The slices of each direction in order; all in the order of their numbers where they turn. */
function bodiesOf(slices: Slice[]): Body[] {
  return directionsOf(slices)?.flatMap(bodiesOfDirection) ?? [{ slices: slices.toSorted(byNumber) }];
}

type Body = Pick<Stack, "slices" | "bValue">;

/** More b-values than are looked at one by one: each may be another gradient's. */
const MANY_B_VALUES = 8;
/** In s/mm²; those of people end at some 10,000. */
const MAX_B_VALUE = 1_000_000;

/** The slices in order. Those of diffusion are apart by their b-values where one place has several, between which scrolling would flicker. */
function bodiesOfDirection(slices: Slice[]): Body[] {
  const groups = [...Map.groupBy(slices, bValueOf)];
  const places = new Set(slices.map(({ geometry }) => geometry.location?.toFixed(2)));
  const isOne = places.has(undefined) || places.size === slices.length || groups.length > MANY_B_VALUES;
  if (groups.length === 1 || isOne || groups.some(([, own]) => own.length === 1))
    return [{ slices: inOrder(slices) }];
  return groups.map(([bValue, own]) => ({ slices: inOrder(own), bValue }));
}

/** In tenths, because scanners work it out anew for each image (PS3.3 §C.8.13.5.9). Classic images have the attribute by itself. */
function bValueOf({ metadata, frameIndex }: Slice): number | undefined {
  const ofFrame = functionalGroups(metadata, frameIndex)(TagHex.MRDiffusionSequence);
  const bValue = numberOf((ofFrame ?? metadata)[TagHex.DiffusionBValue]);
  return bValue !== undefined && bValue >= 0 && bValue < MAX_B_VALUE
    ? Math.round(bValue * 10) / 10
    : undefined;
}

/** More directions than a scout has, or than the discs of a spine that are seen along their own. */
const MANY_DIRECTIONS = 6;

/** The slices of each direction; undefined where there are many and nearly each slice has its own, as of a body that turns. */
function directionsOf(slices: readonly Slice[]): Slice[][] | undefined {
  const groups = [...Map.groupBy(slices, directionOf).values()];
  return groups.length > MANY_DIRECTIONS && slices.length < 2 * groups.length ? undefined : groups;
}

/** Hundredths, because scanners round directions. */
function directionOf({ geometry: { plane } }: Slice): string {
  return plane ? [...plane.row, ...plane.column].map((part) => Math.round(part * 100)).join(" ") : "";
}

function inOrder(slices: Slice[]): Slice[] {
  const hasPlaces = slices.every(({ geometry }) => geometry.location !== undefined);
  return slices.toSorted((a, b) => {
    const apart = hasPlaces ? (a.geometry.location ?? 0) - (b.geometry.location ?? 0) : 0;
    return Math.abs(apart) > 1e-3 ? apart : byNumber(a, b);
  });
}

function byNumber(a: Slice, b: Slice): number {
  return instanceNumber(a) - instanceNumber(b) || a.frameIndex - b.frameIndex;
}

function instanceNumber(slice: Slice | undefined): number {
  return numberOf(slice?.metadata[TagHex.InstanceNumber]) ?? 0;
}
