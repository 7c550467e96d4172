import {
  useEffect,
  useEffectEvent,
  useMemo,
  useReducer,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { textOf } from "../../../shared/dicom/json-values.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { readPixelModule } from "../../../shared/pixels/pixel-module.ts";
import type { Gesture } from "../core/gestures.ts";
import { isScout, type Stack } from "../core/stacks.ts";
import { ownVoisOf, presetsFor, windowLimits } from "../core/windows.ts";
import {
  flipped,
  keepSeen,
  type Placement,
  type Point,
  resized,
  type Stage,
  toScreen,
  turnedRight,
  type ViewTurn,
  zoomAt,
} from "../draw/placement.ts";
import type { FilmSize } from "./film.tsx";
import { useCine } from "./use-cine.ts";
import { useCrosshair } from "./use-crosshair.ts";
import { useFilmGestures } from "./use-film-gestures.ts";
import { useMeasures } from "./use-measures.ts";
import { usePictureOf } from "./use-picture.ts";
import { useVisorCore } from "./use-visor-core.ts";
import { changeSettings, FIRST_SETTINGS, type SettingsChange, type ViewSettings } from "./view-settings.ts";
import type { VisorProps } from "./visor-props.ts";

export type Visor = ReturnType<typeof useVisor>;

interface VisorOptions extends Pick<VisorProps, "source" | "studies" | "onEnded"> {
  /** Seen beside another one, so it keeps fewer frames. */
  isBeside?: boolean;
}

/** Everything that the frames of the visor, for phones and for desktops, show and do. */
export function useVisor({ source, studies, onEnded, isBeside = false }: VisorOptions) {
  const [study] = studies;
  const { model, frames, drawing } = useVisorCore({
    source,
    studyInstanceUID: study?.studyInstanceUID,
    isBeside,
  });
  const canvas = useRef<HTMLCanvasElement>(null);
  const overlays = useRef<HTMLCanvasElement>(null);
  const state = useSyncExternalStore(model.subscribe, () => model.state);
  const version = useSyncExternalStore(frames.subscribe, frames.version);
  const [settings, change] = useReducer(
    (now: ViewSettings, by: SettingsChange) => changeSettings(now, by),
    FIRST_SETTINGS,
  );
  const { measures, refused, ...measuring } = useMeasures(settings.tool);
  const [placement, setPlacement] = useState<Placement>();
  /** As it was drawn last. */
  const stage = useRef<Stage>(undefined);
  /** From where the picture is seen to where it is seen. */
  function turnBy(move: (turn: ViewTurn, stage: Stage | undefined) => ViewTurn): void {
    const { current } = stage;
    const seen = (turn: ViewTurn) => (current ? keepSeen(turn, current) : turn);
    change(({ turn }) => ({ turn: seen(move(seen(turn), current)) }));
  }
  /** The film has another size: what was seen in its middle stays there. */
  function resize(size: FilmSize): void {
    const from = stage.current;
    if (!from || size.width === 0 || size.height === 0) return;
    const to = { ...from, ...size };
    stage.current = to;
    change(({ turn }) => ({ turn: resized(keepSeen(turn, from), from, to) }));
  }
  const end = useEffectEvent(() => onEnded?.());
  const hasEnded = state.phase === "ended";
  useEffect(() => {
    if (hasEnded) end();
  }, [hasEnded]);

  const { stack, index, turns } = state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another stack is seen anew
  useEffect(() => change("reset"), [turns]);

  const slice = stack?.slices[index];
  const frame = slice && frames.frame(slice);
  const failure = slice && frames.failure(slice);
  const shown = usePictureOf(slice, frame, settings);
  const isCoarse = slice !== undefined && frames.isCoarse(slice);
  const cine = useCine(stack, {
    index,
    next: () => model.seek(index + 1 >= (stack?.slices.length ?? 0) ? 0 : index + 1),
    isReady: () => frame !== undefined || failure !== undefined,
  });

  const modality = stack?.series.modality ?? "";
  const described = `${study?.title ?? ""} ${stack?.series.description ?? ""}`;
  const photometric = slice && textOf(slice.metadata[TagHex.PhotometricInterpretation]);
  const isGrey = frame ? frame.kind === "grey" : photometric?.startsWith("MONOCHROME") === true;
  const presets = useMemo(
    () => (isGrey ? presetsFor(modality, described) : []),
    [isGrey, modality, described],
  );
  const ownVois = useSame(useMemo(() => (isGrey && slice ? ownVoisOf(slice) : []), [isGrey, slice]));
  /** Of an image that has not come. */
  const proposed = useMemo(
    () => (shown || !slice ? undefined : readPixelModule(slice.metadata, slice.frameIndex).window),
    [shown, slice],
  );
  const crosshair = useCrosshair({
    canvas,
    tool: settings.tool,
    shown,
    placement,
    turnBy,
    measures,
    measuring,
  });
  const limits = shown && frame?.kind === "grey" ? windowLimits(frame, shown.pixels) : undefined;

  const { onGesture, areBarsHidden } = useFilmGestures({
    canvas,
    model,
    cine,
    settings,
    change,
    turnBy,
    placement,
    shown,
    limits,
    measuring,
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: counted anew when frames came or left, not at each step of a scroll
  const { ready, failed } = useMemo(() => {
    let ready = 0;
    const failed: number[] = [];
    for (const [at, one] of (stack?.slices ?? []).entries()) {
      if (frames.frame(one)) ready++;
      else if (frames.failure(one)) failed.push(at);
    }
    return { ready, failed };
  }, [stack, frames, version]);
  return {
    model,
    drawing,
    canvas,
    /** What the exam's own overlays draw over the image; null while they are not shown. */
    overlays,
    state,
    entries: state.entries,
    study,
    stack,
    index,
    slice,
    frame,
    failure,
    shown,
    window: shown?.window ?? settings.window ?? proposed,
    isCoarse,
    readBulkData: source.readBulkData,
    settings,
    change,
    measures,
    crosshair,
    refused,
    placement,
    resize,
    setPlacement: (next: Placement, on: Stage) => {
      stage.current = on;
      setPlacement((now) => (isSamePlacement(now, next) ? now : next));
    },
    cine,
    presets,
    ownVois,
    limits,
    onGesture: (gesture: Gesture) => {
      // Who points needs it no more.
      if (gesture.type === "tap" || gesture.type === "stroke") crosshair.hide();
      onGesture(gesture);
    },
    areBarsHidden,
    ready,
    failed,
    removeMeasure: () => slice && measuring.removeLast(slice.key),
    removePoint: () => slice && measuring.removePoint(slice.key),
    /** The stack as it was at first, with nothing drawn over it. */
    reset: () => {
      change(FIRST_SETTINGS);
      measuring.clearMeasures();
    },
    reopen: () => study && void model.open(study.studyInstanceUID),
    retry: () => slice && frames.retry(slice),
    rotate: () => turnBy(turnedRight),
    flip: () => turnBy(flipped),
    zoomBy: (factor: number) => {
      const { at } = crosshair;
      const stays =
        at && placement && stage.current ? fromMiddle(toScreen(placement, at), stage.current) : MIDDLE;
      change(({ turn }) => ({ turn: zoomAt(turn, factor, stays) }));
    },
  };
}

const MIDDLE = { x: 0, y: 0 };

function fromMiddle({ x, y }: Point, { width, height }: Stage): Point {
  return { x: x - width / 2, y: y - height / 2 };
}

/** The value of before while it says the same, so that what is drawn from it stays. */
function useSame<Value>(value: Value): Value {
  const [kept, keep] = useState(value);
  if (JSON.stringify(kept) === JSON.stringify(value)) return kept;
  keep(value);
  return value;
}

function isSamePlacement(one: Placement | undefined, other: Placement): boolean {
  if (!one) return false;
  return (["a", "b", "c", "d", "e", "f"] as const).every((part) => one[part] === other[part]);
}

/** Whether the stack is played rather than scrolled through. */
export function isFilm({ framesPerSecond, slices }: Stack): boolean {
  return framesPerSecond !== undefined && slices.length > 1 && !isScout(slices[0]);
}
