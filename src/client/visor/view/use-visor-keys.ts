import { useEffect, useEffectEvent } from "react";
import type { Visor } from "./use-visor.ts";
import type { Tool } from "./view-settings.ts";

/** What keys do besides what the visor itself does. */
export interface KeyActions {
  toggleCorners(): void;
  /** Opens or closes the laudo, or a document. */
  toggleBeside(): void;
  showKeys(): void;
  goFullScreen(): void;
  toggleComparison(): void;
  /** Goes to the other one of two exams. */
  turnSide(): void;
  /**
   * Closes the sheet over the film; undefined if there is none. The sheet is visible some time before it has the focus, and before a
   * dialog around the visor leaves Escape to it.
   */
  closeSheet: (() => void) | undefined;
  /** Closes what is open within the visor; undefined if there is nothing. */
  stepBack: (() => void) | undefined;
  leave(): void;
}

const PAGE = 10;
const ZOOM_STEP = 1.25;
const TOOLS: Record<string, Tool> = {
  p: "scroll",
  j: "window",
  m: "pan",
  r: "length",
  a: "angle",
  v: "probe",
  d: "region",
};

/** Takes the keys while the visor is open, wherever the focus is, except in a dialog over it. */
export function useVisorKeys(visor: Visor, does: KeyActions): void {
  const press = useEffectEvent((event: KeyboardEvent) => keyHandler(visor, does)(event));
  const isToolTaken = visor.settings.tool !== "scroll";
  const letGo = visor.crosshair.at ? visor.crosshair.hide : () => visor.change({ tool: "scroll" });
  const stepInside = isToolTaken ? letGo : does.stepBack;
  const stepBack = does.closeSheet ?? stepInside;
  const canStepBack = stepBack !== undefined;
  const leaveInner = useEffectEvent((event: KeyboardEvent) => {
    const { key, target } = event;
    if (key !== "Escape" || isInOtherDialog(target)) return;
    if (!does.closeSheet && isInSheet(target)) return;
    event.preventDefault();
    stepBack?.();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
  useEffect(() => {
    if (!canStepBack) return;
    const listen = (event: KeyboardEvent) => leaveInner(event);
    // Before the dialog that the visor may be in, which would close.
    window.addEventListener("keydown", listen, { capture: true });
    return () => window.removeEventListener("keydown", listen, { capture: true });
  }, [canStepBack]);
}

/** Letters as the tools show them. */
function keyHandler(visor: Visor, does: KeyActions): (event: KeyboardEvent) => void {
  const { model, change, cine } = visor;
  const last = (visor.stack?.slices.length ?? 1) - 1;
  const step = (slices: number) => () => {
    cine.setPlaying(false);
    model.seek(model.state.index + slices);
  };
  const keys = new Map<string, () => void>([
    ["ArrowUp", step(-1)],
    ["ArrowDown", step(1)],
    ["PageUp", step(-PAGE)],
    ["PageDown", step(PAGE)],
    ["Home", () => model.seek(0)],
    ["End", () => model.seek(last)],
    ["ArrowLeft", () => void model.turn(-1)],
    ["ArrowRight", () => void model.turn(1)],
    ["+", () => visor.zoomBy(ZOOM_STEP)],
    ["=", () => visor.zoomBy(ZOOM_STEP)],
    ["-", () => visor.zoomBy(1 / ZOOM_STEP)],
    [" ", () => cine.setPlaying(!cine.isPlaying)],
    ["n", () => change((now) => ({ isInverted: !now.isInverted }))],
    ["g", visor.rotate],
    ["e", visor.flip],
    ["o", visor.reset],
    ["Delete", visor.removeMeasure],
    ["Backspace", visor.removeMeasure],
    ["i", does.toggleCorners],
    ["l", does.toggleBeside],
    ["f", does.goFullScreen],
    ["c", does.toggleComparison],
    ["x", does.turnSide],
    ["?", does.showKeys],
    ["Escape", does.leave],
  ]);
  return (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const { target, key } = event;
    if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) return;
    if (isInOtherDialog(target)) return;
    // The laudo scrolls with the keys, but the one that opened it also closes it, and another turns to the other exam's.
    if (isInSheet(target) && !(/^[lx]$/i.test(key) && isInSheet(target, ".is-beside"))) return;
    // A button keeps the keys that press it.
    if (target instanceof HTMLButtonElement && (key === " " || key === "Enter")) return;
    const letter = key.length === 1 ? key.toLowerCase() : key;
    const tool = TOOLS[letter];
    const run =
      measuringKey(visor, event) ??
      keys.get(letter) ??
      (tool && (() => change({ tool }))) ??
      presetKey(visor, key);
    if (!run) return;
    event.preventDefault();
    run();
  };
}

const DIRECTIONS = new Map([
  ["ArrowUp", { x: 0, y: -1 }],
  ["ArrowDown", { x: 0, y: 1 }],
  ["ArrowLeft", { x: -1, y: 0 }],
  ["ArrowRight", { x: 1, y: 0 }],
]);

/** What a key does while a tool measures; undefined for one that does what it always does. */
function measuringKey(
  { crosshair, removePoint }: Visor,
  { key, shiftKey, repeat }: KeyboardEvent,
): (() => void) | undefined {
  if (!crosshair.isReady) return undefined;
  // Until it is asked for, the keys are for those who measure with a pointer.
  if (!crosshair.at) return key === "Enter" ? crosshair.show : undefined;
  const towards = DIRECTIONS.get(key);
  if (towards) return () => crosshair.move({ towards, isFine: shiftKey });
  if (key === "Backspace") return removePoint;
  if (key !== "Enter" && key !== " ") return undefined;
  // A key that is held sets one point.
  return () => void (repeat || crosshair.set());
}

function isInSheet(target: EventTarget | null, kind = ""): boolean {
  return target instanceof Element && target.closest(`.visor-sheet${kind}`) !== null;
}

/** Whether the focus is in a dialog that neither holds the visor nor is a sheet of it. */
function isInOtherDialog(target: EventTarget | null): boolean {
  const dialog = target instanceof Element && target.closest("[role=dialog], [role=alertdialog]");
  return dialog instanceof Element && !dialog.matches(".visor-sheet") && !dialog.querySelector(".visor");
}

/** 0 is the window of the instance, 1 to 9 are the presets, then what else the instance proposes. */
function presetKey({ presets, ownVois, change }: Visor, key: string): (() => void) | undefined {
  if (key === "0") return () => change({ window: undefined, proposal: undefined });
  if (!/^[1-9]$/.test(key)) return undefined;
  const preset = presets[Number(key) - 1];
  if (preset) return () => change({ window: { center: preset.center, width: preset.width } });
  const own = ownVois[Number(key) - 1 - presets.length];
  return own && (() => change({ window: undefined, proposal: own.proposal }));
}
