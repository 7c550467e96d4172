import {
  useEffect,
  useEffectEvent,
  useMemo,
  useReducer,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { readPixelModule, textOf } from "../../../shared/pixels/pixel-module.ts";
import { DOUBLE_TAP_MS, type Gesture } from "../core/gestures.ts";
import type { MeasureOf } from "../core/measures.ts";
import { isScout, type Stack } from "../core/stacks.ts";
import { draggedWindow, presetsFor, windowLimits } from "../core/windows.ts";
import { type Placement, type Point, toPicture, type ViewTurn, zoomAt } from "../draw/placement.ts";
import { useCine } from "./use-cine.ts";
import { type Stroke, useMeasures } from "./use-measures.ts";
import { usePictureOf } from "./use-picture.ts";
import {
  changeSettings,
  FIRST_SETTINGS,
  isMeasuring,
  type SettingsChange,
  type ViewSettings,
} from "./view-settings.ts";
import { keepVisorCore, takeVisorCore, type VisorCore } from "./visor-core.ts";
import type { VisorProps } from "./visor-props.ts";

const DOUBLE_TAP_ZOOM = 2.5;

export type Visor = ReturnType<typeof useVisor>;

interface VisorOptions extends Pick<VisorProps, "source" | "studies" | "onEnded"> {
  /** Seen beside another one, so it keeps fewer frames. */
  isBeside?: boolean;
}

/** Everything that the frames of the visor, for phones and for desktops, show and do. */
export function useVisor({ source, studies, onEnded, isBeside = false }: VisorOptions) {
  const core = useMemo(() => takeVisorCore(source, { isBeside }), [source, isBeside]);
  const { model, frames } = core;
  const [study] = studies;
  const canvas = useRef<HTMLCanvasElement>(null);
  const state = useSyncExternalStore(model.subscribe, () => model.state);
  const version = useSyncExternalStore(frames.subscribe, frames.version);
  const [settings, change] = useReducer(
    (now: ViewSettings, by: SettingsChange) => changeSettings(now, by),
    FIRST_SETTINGS,
  );
  const { measures, ...measuring } = useMeasures(settings.tool);
  const [placement, setPlacement] = useState<Placement>();
  const [areBarsHidden, setBarsHidden] = useState(false);
  const togglingBars = useRef<ReturnType<typeof setTimeout>>(undefined);

  const closing = useRef<{ core: VisorCore; timer: ReturnType<typeof setTimeout> }>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a source and its study are opened once
  useEffect(() => {
    // React's strict mode takes the component away and puts it back at once.
    if (closing.current?.core === core) clearTimeout(closing.current.timer);
    keepVisorCore(source);
    if (study) core.open(study.studyInstanceUID);
    return () => {
      closing.current = { core, timer: setTimeout(() => core.close()) };
    };
  }, [core]);
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
  /** Of an image that has not come. */
  const proposed = useMemo(
    () => (shown || !slice ? undefined : readPixelModule(slice.metadata, slice.frameIndex).window),
    [shown, slice],
  );
  const limits = shown && frame?.kind === "grey" ? windowLimits(frame, shown.pixels) : undefined;

  function onTapped(at: Point, isDouble: boolean): void {
    clearTimeout(togglingBars.current);
    if (isMeasuring(settings.tool)) {
      const of = measured();
      if (of && placement) measuring.measureAt(of, toPicture(placement, at));
    } else if (isDouble) {
      change(({ turn }) => ({ turn: turn.zoom > 1.01 ? unmoved(turn) : enlarged(turn, at) }));
    } else {
      // The film must not move under a second tap.
      togglingBars.current = setTimeout(() => setBarsHidden((now) => !now), DOUBLE_TAP_MS);
    }
  }

  function enlarged(turn: ViewTurn, at: Point): ViewTurn {
    return zoomAt(turn, DOUBLE_TAP_ZOOM, fromMiddle(at));
  }

  /** Gestures name points from the corner of the film, zooming wants them from its middle. */
  function fromMiddle(at: Point): Point {
    const film = canvas.current?.getBoundingClientRect();
    return film ? { x: at.x - film.width / 2, y: at.y - film.height / 2 } : { x: 0, y: 0 };
  }

  /** What a tap or a stroke measures; undefined without such a tool, and without an image. */
  function measured(): MeasureOf | undefined {
    const { tool } = settings;
    return shown && isMeasuring(tool) ? { kind: tool, sliceKey: shown.slice.key } : undefined;
  }

  function drawStroke({ from, to, isNew }: Stroke): void {
    const of = measured();
    if (!of || !placement) return;
    measuring.drawStroke(of, { from: toPicture(placement, from), to: toPicture(placement, to), isNew });
  }

  function onGesture(gesture: Gesture): void {
    switch (gesture.type) {
      case "scroll":
        cine.setPlaying(false);
        model.seek(model.state.index + gesture.slices);
        break;
      case "series":
        void model.turn(gesture.step);
        break;
      case "pan":
        change(({ turn }) => ({
          turn: { ...turn, panX: turn.panX + gesture.x, panY: turn.panY + gesture.y },
        }));
        break;
      case "zoom":
        change(({ turn }) => ({ turn: zoomAt(turn, gesture.factor, fromMiddle(gesture.at)) }));
        break;
      case "window":
        dragWindow(gesture);
        break;
      case "tap":
      case "doubleTap":
        onTapped(gesture.at, gesture.type === "doubleTap");
        break;
      case "stroke":
        drawStroke(gesture);
        break;
      case "strokeDropped":
        measuring.dropStroke();
        break;
      case "hold":
        navigator.vibrate?.(10);
    }
  }

  function dragWindow(moved: Point): void {
    const from = settings.window ?? shown?.window;
    if (!limits || !from) return;
    change((now) => ({ window: draggedWindow(now.window ?? from, moved, limits) }));
  }

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
    canvas,
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
    settings,
    change,
    measures,
    placement,
    setPlacement: (next: Placement) => setPlacement((now) => (isSamePlacement(now, next) ? now : next)),
    cine,
    presets,
    limits,
    onGesture,
    areBarsHidden,
    ready,
    failed,
    removeMeasure: () => slice && measuring.removeLast(slice.key),
    /** The stack as it was at first, with nothing drawn over it. */
    reset: () => {
      change(FIRST_SETTINGS);
      measuring.clearMeasures();
    },
    reopen: () => study && void model.open(study.studyInstanceUID),
    retry: () => slice && frames.retry(slice),
    zoomBy: (factor: number) => change(({ turn }) => ({ turn: zoomAt(turn, factor, { x: 0, y: 0 }) })),
  };
}

function isSamePlacement(one: Placement | undefined, other: Placement): boolean {
  if (!one) return false;
  return (["a", "b", "c", "d", "e", "f"] as const).every((part) => one[part] === other[part]);
}

function unmoved(turn: ViewTurn): ViewTurn {
  return { ...turn, zoom: 1, panX: 0, panY: 0 };
}

/** Whether the stack is played rather than scrolled through. */
export function isFilm({ framesPerSecond, slices }: Stack): boolean {
  return framesPerSecond !== undefined && slices.length > 1 && !isScout(slices[0]);
}
