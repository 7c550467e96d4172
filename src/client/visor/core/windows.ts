import { fullWindow, proposedVoi, type Voi } from "../../../shared/pixels/grey-table.ts";
import type { PixelModule, Window } from "../../../shared/pixels/pixel-module.ts";
import type { GreyFrame } from "../../../shared/pixels/prepare-frame.ts";

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

/** How far the sliders of a window reach, in the modality's unit. */
export interface WindowLimits {
  lowest: number;
  highest: number;
}

export function windowLimits(frame: GreyFrame, pixels: PixelModule): WindowLimits {
  const { center, width } = fullWindow(frame, pixels);
  return { lowest: center - width / 2, highest: center + width / 2 };
}

const MAX_CENTER = 1e7;

/** Moves a window by a finger's way: to the right wider, up darker, a screen's width for the whole range. */
export function draggedWindow(
  window: Window,
  moved: { x: number; y: number },
  { lowest, highest }: WindowLimits,
): Window {
  // Small windows need small steps, so the way also depends on the width itself.
  const step = Math.max(0.02, Math.min((highest - lowest) / 400, Math.max(window.width, 1) / 100));
  const width = Math.min(highest - lowest + 1, Math.max(1, window.width + moved.x * step));
  const center = Math.min(MAX_CENTER, Math.max(-MAX_CENTER, window.center + moved.y * step));
  return { ...window, center: Math.round(center * 10) / 10, width: Math.round(width * 10) / 10 };
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
