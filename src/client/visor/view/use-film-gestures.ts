import { type RefObject, useRef, useState } from "react";
import { DOUBLE_TAP_MS, type Gesture } from "../core/gestures.ts";
import type { MeasureOf } from "../core/measures.ts";
import type { VisorModel } from "../core/visor-model.ts";
import { draggedWindow, type WindowLimits } from "../core/windows.ts";
import { type Placement, type Point, toPicture, type ViewTurn, zoomAt } from "../draw/placement.ts";
import type { Cine } from "./use-cine.ts";
import type { Measuring, Stroke } from "./use-measures.ts";
import { movedFrom, type ShownPicture } from "./use-picture.ts";
import { isMeasuring, type SettingsChange, type ViewSettings } from "./view-settings.ts";

const DOUBLE_TAP_ZOOM = 2.5;

interface FilmGesturesOptions {
  canvas: RefObject<HTMLCanvasElement | null>;
  model: VisorModel;
  cine: Cine;
  settings: ViewSettings;
  change(by: SettingsChange): void;
  /** Moves the picture, as far as it may be moved. */
  turnBy(move: (turn: ViewTurn) => ViewTurn): void;
  /** The place of the picture on the film; undefined until one is drawn. */
  placement: Placement | undefined;
  shown: ShownPicture | undefined;
  /** Undefined for what has no window. */
  limits: WindowLimits | undefined;
  measuring: Measuring;
}

/** What each gesture on the film does, with the tool that the person holds. A tap hides and shows the bars. */
export function useFilmGestures(options: FilmGesturesOptions) {
  const { canvas, model, cine, settings, change, turnBy, placement, shown, limits, measuring } = options;
  const [areBarsHidden, setBarsHidden] = useState(false);
  /** Whether a stroke began before its image came. It is drawn from its beginning once the image is there. */
  const isStrokeWaiting = useRef(false);
  const togglingBars = useRef<ReturnType<typeof setTimeout>>(undefined);

  function onTapped(at: Point, isDouble: boolean): void {
    clearTimeout(togglingBars.current);
    if (isMeasuring(settings.tool)) {
      const of = measured();
      if (of && placement) measuring.measureAt(of, toPicture(placement, at));
      else refuseUnseen();
    } else if (isDouble) {
      turnBy((turn) => (turn.zoom > 1.01 ? unmoved(turn) : enlarged(turn, at)));
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
    if (!of || !placement) {
      if (isNew) isStrokeWaiting.current = true;
      refuseUnseen();
      return;
    }
    const isFirst = isNew || isStrokeWaiting.current;
    isStrokeWaiting.current = false;
    const [start, end] = [toPicture(placement, from), toPicture(placement, to)];
    measuring.drawStroke(of, { from: start, to: end, isNew: isFirst });
  }

  function dropStroke(): void {
    if (!isStrokeWaiting.current) measuring.dropStroke();
    isStrokeWaiting.current = false;
  }

  function refuseUnseen(): void {
    const { stack, index } = model.state;
    measuring.refuseUnseen(stack?.slices[index]?.key);
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
        turnBy((turn) => ({ ...turn, panX: turn.panX + gesture.x, panY: turn.panY + gesture.y }));
        break;
      case "zoom":
        turnBy((turn) => zoomAt(turn, gesture.factor, fromMiddle(gesture.at)));
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
        dropStroke();
        break;
      case "hold":
        navigator.vibrate?.(10);
    }
  }

  function dragWindow(moved: Point): void {
    const from = settings.window ?? (shown && movedFrom(shown));
    if (!limits || !from) return;
    change((now) => ({ window: draggedWindow(now.window ?? from, moved, limits) }));
  }

  return { onGesture, areBarsHidden };
}

function unmoved(turn: ViewTurn): ViewTurn {
  return { ...turn, zoom: 1, panX: 0, panY: 0 };
}
