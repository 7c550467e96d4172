import { useEffect, useState } from "react";
import {
  isFull,
  isWhole,
  type Measure,
  type MeasureOf,
  withoutLast,
  withoutPoint,
  withPoint,
  withStroke,
} from "../core/measures.ts";
import type { Point } from "../draw/placement.ts";
import type { Tool } from "./view-settings.ts";

interface Drawn {
  measures: Measure[];
  /** As they were when the stroke that is being drawn began. */
  before: Measure[];
  refused: Refusal | undefined;
}

/** Why the last measure was not drawn: there are too many, or the image of a slice is still on its way. */
export type Refusal = { why: "full" } | { why: "waiting"; sliceKey: string | undefined };

export interface Stroke {
  from: Point;
  to: Point;
  isNew: boolean;
}

export type Measuring = Omit<ReturnType<typeof useMeasures>, "measures" | "refused">;

/** What the person measures, by taps and by strokes. */
export function useMeasures(tool: Tool) {
  const [{ measures, refused }, set] = useState<Drawn>({ measures: [], before: [], refused: undefined });
  const change = (by: (measures: Measure[]) => Measure[]) =>
    set((now) => ({ ...now, measures: by(now.measures), refused: undefined }));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tool leaves nothing half drawn
  useEffect(() => change((now) => now.filter(isWhole)), [tool]);
  return {
    measures,
    refused,
    measureAt: (of: MeasureOf, point: Point) =>
      set((now) =>
        isFull(now.measures)
          ? { ...now, refused: { why: "full" } }
          : { ...now, measures: withPoint(now.measures, of, point), refused: undefined },
      ),
    drawStroke: (of: MeasureOf, { from, to, isNew }: Stroke) =>
      set((now) => {
        const before = isNew ? now.measures : now.before;
        if (isFull(before)) return { before, measures: before, refused: { why: "full" } };
        return { before, measures: withStroke(before, of, { from, to }), refused: undefined };
      }),
    dropStroke: () => set(({ before }) => ({ before, measures: before, refused: undefined })),
    /** The image of a slice has not come, so nothing can be drawn on it. */
    refuseUnseen: (sliceKey: string | undefined) =>
      set((now) => ({ ...now, refused: { why: "waiting", sliceKey } })),
    removeLast: (sliceKey: string) => change((now) => withoutLast(now, sliceKey)),
    removePoint: (sliceKey: string) => change((now) => withoutPoint(now, sliceKey)),
    clearMeasures: () => change(() => []),
  };
}
