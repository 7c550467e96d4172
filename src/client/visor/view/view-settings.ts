import type { Window } from "../../../shared/pixels/pixel-module.ts";
import type { Measure } from "../core/measures.ts";
import { NO_TURN, type ViewTurn } from "../draw/placement.ts";

export type Tool = "scroll" | "window" | "pan" | Measure["kind"];

export function isMeasuring(tool: Tool): tool is Measure["kind"] {
  return tool === "length" || tool === "angle" || tool === "probe" || tool === "region";
}

/** How the person sees a stack. */
export interface ViewSettings {
  turn: ViewTurn;
  /** Undefined: as the instance proposes. */
  window: Window | undefined;
  /** Which of the instance's proposals, from 0, where there is no `window`; undefined: the first that shows something. */
  proposal: number | undefined;
  isInverted: boolean;
  /** Those that the exam draws over its images. */
  areOverlaysHidden: boolean;
  tool: Tool;
}

export const FIRST_SETTINGS: ViewSettings = {
  turn: NO_TURN,
  window: undefined,
  proposal: undefined,
  isInverted: false,
  areOverlaysHidden: false,
  tool: "scroll",
};

export type SettingsChange =
  | Partial<ViewSettings>
  | ((settings: ViewSettings) => Partial<ViewSettings>)
  | "reset";

export function changeSettings(settings: ViewSettings, change: SettingsChange): ViewSettings {
  if (change === "reset") return { ...FIRST_SETTINGS, tool: settings.tool };
  return { ...settings, ...(typeof change === "function" ? change(settings) : change) };
}
