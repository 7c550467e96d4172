import { fullWindow, proposedVoi, type Voi } from "../../../shared/pixels/grey-table.ts";
import { type PixelModule, readPixelModule, type Window } from "../../../shared/pixels/pixel-module.ts";
import type { GreyFrame } from "../../../shared/pixels/prepare-frame.ts";
import { readProposals } from "../../../shared/pixels/proposals.ts";
import type { Slice } from "./stacks.ts";

export type PresetName = "brain" | "bone" | "lung" | "mediastinum" | "abdomen";

export interface Preset extends Window {
  name: PresetName;
}

/** Hounsfield windows as radiologists set them. */
const PRESETS: Record<PresetName, Preset> = {
  brain: { name: "brain", center: 40, width: 80 },
  bone: { name: "bone", center: 500, width: 2_000 },
  lung: { name: "lung", center: -550, width: 1_500 },
  mediastinum: { name: "mediastinum", center: 40, width: 350 },
  abdomen: { name: "abdomen", center: 60, width: 400 },
};

const BY_BODY_PART: [RegExp, PresetName[]][] = [
  [/HEAD|BRAIN|SKULL|CRAN|CEREB|ENCEF|NEURO/i, ["brain", "bone"]],
  [/CHEST|THORAX|TORAX|TÓRAX|LUNG|PULM/i, ["lung", "mediastinum", "bone"]],
  [/ABD|PELV|LIVER|FIGADO|FÍGADO|RIM|KIDNEY/i, ["abdomen", "bone", "lung"]],
];

/** The windows to offer, those of the body part first. Only Hounsfield values have any. */
export function presetsFor(modality: string, described: string): Preset[] {
  if (modality !== "CT") return [];
  const [, first = []] = BY_BODY_PART.find(([words]) => words.test(described)) ?? [];
  const names = [...new Set([...first, ...(Object.keys(PRESETS) as PresetName[])])];
  return names.map((name) => PRESETS[name]);
}

/** A proposal of the instance besides its first one, which is what "Auto" shows. */
export interface OwnVoi {
  /** Its place among all proposals. */
  proposal: number;
  kind: "window" | "table";
  /** Its place among those of its kind, from 1. */
  number: number;
  name: string;
}

export function ownVoisOf({ metadata, frameIndex }: Slice): OwnVoi[] {
  const proposals = readProposals(metadata, frameIndex, readPixelModule(metadata, frameIndex));
  const windows = proposals.filter(({ voi }) => voi.kind === "window").length;
  return proposals
    .map(({ name, voi: { kind } }, proposal) => {
      const number = 1 + (kind === "window" ? proposal : proposal - windows);
      return { proposal, kind, number, name };
    })
    .slice(1);
}

/** How far the sliders of a window reach, in the modality's unit. */
export interface WindowLimits {
  lowest: number;
  highest: number;
}

export function windowLimits(frame: GreyFrame, pixels: PixelModule): WindowLimits {
  const { center, width } = fullWindow(frame, pixels);
  return { lowest: center - width / 2, highest: center + width / 2 };
}

const COARSEST_GRAIN = 0.1;
const FINEST_GRAIN = 1e-9;
const GRAINS_OF_RANGE = 1_000;

/** The step of windows for values that lie so far apart: a power of ten, in the modality's unit. */
export function windowGrain({ lowest, highest }: WindowLimits): number {
  const exponent = Math.floor(Math.log10((highest - lowest) / GRAINS_OF_RANGE));
  const grain = Number(`1e${Number.isFinite(exponent) ? exponent : 0}`);
  return Math.min(COARSEST_GRAIN, Math.max(FINEST_GRAIN, grain));
}

/** LINEAR has no windows below 1 (PS3.3 §C.11.2.1.2.1). */
export function leastWidth({ shape = "linear" }: Window, limits: WindowLimits): number {
  return shape === "linear" ? 1 : windowGrain(limits);
}

const MAX_CENTER = 1e7;

/** Moves a window by a finger's way: to the right wider, up darker, a screen's width for the whole range. */
export function draggedWindow(window: Window, moved: { x: number; y: number }, limits: WindowLimits): Window {
  const { lowest, highest } = limits;
  const range = highest - lowest;
  const grain = windowGrain(limits);
  const least = leastWidth(window, limits);
  // Small windows need small steps, so the way also depends on the width itself.
  const step = Math.max(grain, Math.min(range / 400, Math.max(window.width, 10 * grain) / 100));
  const farthest = Math.max(MAX_CENTER, 2 * Math.abs(lowest), 2 * Math.abs(highest));
  const width = within(window.width + moved.x * step, least, range + least);
  const center = within(window.center + moved.y * step, -farthest, farthest);
  return { ...window, center: onGrain(center, grain), width: onGrain(width, grain) };
}

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

function onGrain(value: number, grain: number): number {
  return Number(value.toFixed(Math.round(-Math.log10(grain))));
}

/** The instance's own window, or its range where that shows nothing. */
export function autoVoi(frame: GreyFrame, pixels: PixelModule): Voi {
  const voi = proposedVoi(frame, pixels);
  if (voi.kind === "table") return voi;
  const { lowest, highest } = windowLimits(frame, pixels);
  const { center, width } = voi.window;
  const isOutside = center + width / 2 < lowest || center - width / 2 > highest;
  return isOutside ? { kind: "window", window: fullWindow(frame, pixels) } : voi;
}
