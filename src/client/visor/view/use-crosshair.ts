import { type RefObject, useEffect, useMemo, useState } from "react";
import { pixelAt, type Step, stepped, wayIntoView } from "../core/crosshair.ts";
import { type Measure, type MeasureOf, withPoint } from "../core/measures.ts";
import { type Placement, type Point, toPicture, toScreen, type ViewTurn } from "../draw/placement.ts";
import type { Measuring } from "./use-measures.ts";
import type { ShownPicture } from "./use-picture.ts";
import { isMeasuring, type Tool } from "./view-settings.ts";

interface CrosshairOptions {
  canvas: RefObject<HTMLCanvasElement | null>;
  tool: Tool;
  shown: ShownPicture | undefined;
  placement: Placement | undefined;
  turnBy(move: (turn: ViewTurn) => ViewTurn): void;
  measures: Measure[];
  measuring: Measuring;
}

/** Measuring without a pointer: keys move a crosshair over the image and set points where it is. */
export function useCrosshair(options: CrosshairOptions) {
  const { canvas, tool, shown, placement, turnBy, measures, measuring } = options;
  const [kept, keep] = useState<Point>();
  useEffect(() => {
    // Each tool begins without it. A button with the focus would take the keys that show it and set points.
    keep(undefined);
    if (isMeasuring(tool)) canvas.current?.parentElement?.focus({ preventScroll: true });
  }, [tool, canvas]);
  const kind = isMeasuring(tool) ? tool : undefined;
  const sliceKey = shown?.slice.key;
  const image = shown?.picture.frame;
  const of = useMemo<MeasureOf | undefined>(
    () => (kind && sliceKey !== undefined ? { kind, sliceKey } : undefined),
    [kind, sliceKey],
  );
  const at = useMemo(() => (kept && of && image ? pixelAt(kept, image) : undefined), [kept, of, image]);
  /** Those that are drawn, the one that grows to the crosshair among them. */
  const seen = useMemo(() => (at && of ? withPoint(measures, of, at) : measures), [measures, of, at]);

  /** Shows it in the middle of the film. */
  function show(): void {
    const film = canvas.current?.getBoundingClientRect();
    if (!film || !image || !placement) return;
    keep(pixelAt(toPicture(placement, { x: film.width / 2, y: film.height / 2 }), image));
  }

  function move(step: Step): void {
    const film = canvas.current?.getBoundingClientRect();
    if (!film || !at || !image || !placement) return;
    const next = stepped(at, step, placement, image);
    keep(next);
    const { x, y } = wayIntoView(toScreen(placement, next), film);
    if (x !== 0 || y !== 0) turnBy((turn) => ({ ...turn, panX: turn.panX + x, panY: turn.panY + y }));
  }

  return {
    /** Where it is in the image, in the middle of a pixel; undefined while it is not shown. */
    at,
    seen,
    /** Whether there is an image to measure, and a tool that measures. */
    isReady: of !== undefined && placement !== undefined,
    show,
    move,
    /** Sets a point of the measure. */
    set: () => at && of && measuring.measureAt(of, at),
    hide: () => keep(undefined),
  };
}
