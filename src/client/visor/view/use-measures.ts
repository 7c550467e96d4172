import { useEffect, useState } from "react";
import {
  isWhole,
  type Measure,
  type MeasureOf,
  withoutLast,
  withPoint,
  withStroke,
} from "../core/measures.ts";
import type { Point } from "../draw/placement.ts";
import type { Tool } from "./view-settings.ts";

interface Drawn {
  measures: Measure[];
  /** As they were when the stroke that is being drawn began. */
  before: Measure[];
}

export interface Stroke {
  from: Point;
  to: Point;
  isNew: boolean;
}

export type Measuring = Omit<ReturnType<typeof useMeasures>, "measures">;

/** What the person measures, by taps and by strokes. */
export function useMeasures(tool: Tool) {
  const [{ measures }, set] = useState<Drawn>({ measures: [], before: [] });
  const change = (by: (measures: Measure[]) => Measure[]) =>
    set((now) => ({ ...now, measures: by(now.measures) }));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tool leaves nothing half drawn
  useEffect(() => change((now) => now.filter(isWhole)), [tool]);
  return {
    measures,
    measureAt: (of: MeasureOf, point: Point) => change((now) => withPoint(now, of, point)),
    drawStroke: (of: MeasureOf, { from, to, isNew }: Stroke) =>
      set((now) => {
        const before = isNew ? now.measures : now.before;
        return { before, measures: withStroke(before, of, { from, to }) };
      }),
    dropStroke: () => set(({ before }) => ({ before, measures: before })),
    removeLast: (sliceKey: string) => change((now) => withoutLast(now, sliceKey)),
    clearMeasures: () => change(() => []),
  };
}
