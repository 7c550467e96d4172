import { useLingui } from "@lingui/react/macro";
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { createGestureReader, type DragAction, type Gesture, type PointerSample } from "../core/gestures.ts";
import type { Renderer } from "../draw/picture.ts";
import { keepSeen, type Placement, type Point, placementOf, type Stage } from "../draw/placement.ts";
import { type FilmCanvas, makePlainCanvas, releaseCanvas, takeCanvas, withWebgl } from "../draw/renderer.ts";
import { watchGraphics } from "../draw/watch-graphics.ts";
import { type ShownPicture, stageOf } from "./use-picture.ts";
import { isMeasuring, type ViewSettings } from "./view-settings.ts";

/** The sharpest canvas worth its memory. */
const MAX_RATIO = 3;
const WHEEL_PX = 40;

export interface FilmSize {
  width: number;
  height: number;
}

export interface FilmProps {
  /** What a screen reader says of the image. */
  label: string;
  shown: ShownPicture | undefined;
  /** Whether it is the beginning of an image that is still on its way. */
  isCoarse: boolean;
  settings: ViewSettings;
  /** Whether there are other images to scroll to. */
  isStack: boolean;
  onGesture: (gesture: Gesture) => void;
  /** In CSS pixels, as soon as it is known and before anything is drawn on it. */
  onSized: (size: FilmSize) => void;
  /** Where the picture lies now, and on what, in CSS pixels of the film. */
  onPlaced: (placement: Placement, stage: Stage) => void;
  canvas: RefObject<HTMLCanvasElement | null>;
}

/** The image itself, with fingers, mouse and wheel. */
export function Film({ label, shown, isCoarse, settings, isStack, canvas, ...tells }: FilmProps) {
  const { onGesture, onSized, onPlaced } = tells;
  const box = useRef<HTMLDivElement>(null);
  const renderer = useRef<Renderer>(undefined);
  const [size, setSize] = useState<FilmSize>({ width: 0, height: 0 });
  const [restored, setRestored] = useState(0);

  const tellSize = useEffectEvent(onSized);
  useLayoutEffect(() => {
    if (!box.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (!entry) return;
      const { width, height } = entry.contentRect;
      setSize({ width, height });
      tellSize({ width, height });
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const first = takeCanvas();
    const show = (film: FilmCanvas) => {
      renderer.current?.dispose();
      renderer.current = film.renderer;
      film.canvas.setAttribute("role", "img");
      if (canvas.current !== film.canvas) canvas.current?.remove();
      box.current?.append(film.canvas);
      canvas.current = film.canvas;
    };
    show(first);
    const stopWatching = watchGraphics(first.canvas, (areBack) => {
      const restored = areBack ? withWebgl(first.canvas) : undefined;
      if (!restored) stopWatching();
      show(restored ?? makePlainCanvas());
      setRestored((times) => times + 1);
    });
    return () => {
      stopWatching();
      renderer.current?.dispose();
      renderer.current = undefined;
      canvas.current?.remove();
      canvas.current = null;
      releaseCanvas(first.canvas);
    };
  }, [canvas]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another canvas may have taken its place
  useEffect(() => canvas.current?.setAttribute("aria-label", label), [canvas, label, restored]);

  const place = useEffectEvent(onPlaced);
  // biome-ignore lint/correctness/useExhaustiveDependencies: graphics that came back are drawn anew
  useEffect(() => {
    const { current } = canvas;
    if (!current || size.width === 0) return;
    const ratio = Math.min(MAX_RATIO, window.devicePixelRatio || 1);
    const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    if (current.width !== width || current.height !== height) Object.assign(current, { width, height });
    if (!shown) {
      renderer.current?.clear();
      return;
    }
    const stage = stageOf(shown, size);
    const turn = keepSeen(settings.turn, stage);
    const sharp = { ...turn, panX: turn.panX * ratio, panY: turn.panY * ratio };
    renderer.current?.draw(shown.picture, placementOf(sharp, { ...stage, width, height }));
    place(placementOf(turn, stage), stage);
    current.dataset.slice = shown.slice.key;
    current.toggleAttribute("data-coarse", isCoarse);
  }, [shown, isCoarse, settings, size, canvas, restored]);

  useFilmPointers(box, { settings, isStack, onGesture });
  const { t } = useLingui();
  // Here a screen reader leaves the keys to the page.
  const keyed = isMeasuring(settings.tool) && {
    role: "application",
    tabIndex: 0,
    "aria-label": label,
    "aria-description": t({
      id: "visor.crosshair.how",
      message: "Enter shows the crosshair, arrows move it, Enter sets a point.",
    }),
  };
  return (
    // Its canvas may be older than itself.
    <div className="visor-film" ref={box} {...keyed} />
  );
}

function useFilmPointers(
  box: RefObject<HTMLDivElement | null>,
  { settings, isStack, onGesture }: Pick<FilmProps, "settings" | "isStack" | "onGesture">,
): void {
  const tell = useEffectEvent(onGesture);
  const isFit = settings.turn.zoom <= 1.01;
  const dragAction = useEffectEvent((): DragAction => {
    if (settings.tool === "window" || settings.tool === "pan") return settings.tool;
    if (isMeasuring(settings.tool)) return "stroke";
    return !isStack && !isFit ? "pan" : "scroll";
  });
  const turnsSeries = useEffectEvent(() => isFit);
  useEffect(() => {
    const { current } = box;
    if (!current) return;
    const reader = createGestureReader({ dragAction, turnsSeries, onGesture: tell });
    const sampleOf = (event: PointerEvent): PointerSample => {
      return { id: event.pointerId, at: pointIn(current, event), timeMs: event.timeStamp };
    };
    const listen = new AbortController();
    const on = <Name extends keyof HTMLElementEventMap>(
      name: Name,
      listener: (event: HTMLElementEventMap[Name]) => void,
    ) => current.addEventListener(name, listener, { signal: listen.signal, passive: false });
    on("pointerdown", (event) => {
      current.setPointerCapture(event.pointerId);
      reader.down(sampleOf(event), mouseAction(event));
    });
    on("pointermove", (event) => reader.move(sampleOf(event)));
    on("pointerup", (event) => reader.up(sampleOf(event)));
    on("pointercancel", () => reader.cancel());
    // Otherwise a finger that leaves fast flings for Chromium, though nothing scrolls here, and the next tap only stops the fling.
    on("touchmove", (event) => event.preventDefault());
    on("contextmenu", (event) => event.preventDefault());
    on("wheel", (event) => {
      event.preventDefault();
      // Where the wheel is turned is asked for only if it matters: the answer takes a layout of the page.
      if (event.ctrlKey)
        tell({ type: "zoom", factor: Math.exp(-event.deltaY / 200), at: pointIn(current, event) });
      else tell({ type: "scroll", slices: wheelSlices(event) });
    });
    return () => {
      listen.abort();
      reader.cancel();
    };
  }, [box]);
}

function pointIn(box: HTMLElement, { clientX, clientY }: MouseEvent): Point {
  const { left, top } = box.getBoundingClientRect();
  return { x: clientX - left, y: clientY - top };
}

/** The right button sets the window and the middle one moves, whatever the tool; the left one acts without waiting. */
function mouseAction({ pointerType, button }: PointerEvent): DragAction | undefined {
  if (pointerType !== "mouse") return undefined;
  return button === 2 ? "window" : button === 1 ? "pan" : undefined;
}

function wheelSlices({ deltaY, deltaMode }: WheelEvent): number {
  if (deltaMode !== WheelEvent.DOM_DELTA_PIXEL) return Math.sign(deltaY);
  return Math.sign(deltaY) * Math.max(1, Math.floor(Math.abs(deltaY) / WHEEL_PX / 3));
}
