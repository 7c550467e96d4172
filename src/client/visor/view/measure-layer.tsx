import { useLingui } from "@lingui/react/macro";
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "react";
import { isWhole, type Measure } from "../core/measures.ts";
import { countValues, regionValues } from "../core/regions.ts";
import { valueScale } from "../core/value-scale.ts";
import type { Placement } from "../draw/placement.ts";
import { LINE_HEIGHT, MARK_COLOURS, MARK_PX, type Mark, measureMarks, measuresOf } from "./measure-marks.ts";
import type { MeasuredPicture } from "./measure-texts.ts";

interface MeasureLayerProps extends MeasuredPicture {
  measures: Measure[];
  placement: Placement;
}

const NO_FILM = { width: Number.POSITIVE_INFINITY, height: Number.POSITIVE_INFINITY };

/** Lengths, angles, values and regions drawn over the picture. */
export function MeasureLayer({ measures, placement, ...picture }: MeasureLayerProps) {
  const { i18n } = useLingui();
  const layer = useRef<SVGSVGElement>(null);
  const [{ width, height }, setFilm] = useState(NO_FILM);
  useLayoutEffect(() => {
    const box = layer.current?.getBoundingClientRect();
    const film = box?.width ? box : NO_FILM;
    setFilm((now) => (now.width === film.width && now.height === film.height ? now : film));
  });
  useCounting(measures, picture);
  // The size is not asked for without measures, because the answer takes a layout of the page.
  if (measuresOf(measures, picture).length === 0) return null;
  const letterPx = markLetterPx();
  const marks = measureMarks(measures, { ...picture, placement, film: { width, height, letterPx } }, i18n);
  return (
    <svg
      ref={layer}
      className="visor-measures"
      aria-hidden="true"
      fill="none"
      stroke={MARK_COLOURS.line}
      strokeWidth={MARK_PX.line}
    >
      {[...marks.entries()].map(([at, mark]) => (
        <MarkShape key={at} mark={mark} letterPx={letterPx} />
      ))}
    </svg>
  );
}

function MarkShape({ mark, letterPx }: { mark: Mark; letterPx: number }) {
  const { points, ellipse, lines, label } = mark;
  return (
    <g>
      <polyline points={points.map(({ x, y }) => `${x},${y}`).join(" ")} />
      {[...points.entries()].map(([place, { x, y }]) => (
        <circle key={place} cx={x} cy={y} r={MARK_PX.dot} />
      ))}
      {ellipse && <ellipse cx={ellipse.x} cy={ellipse.y} rx={ellipse.across} ry={ellipse.down} />}
      <text
        fontSize={letterPx}
        fill={MARK_COLOURS.text}
        stroke={MARK_COLOURS.edge}
        strokeWidth={MARK_PX.edge}
        textAnchor={label.end === "left" ? "start" : "end"}
      >
        {[...lines.entries()].map(([line, text]) => (
          <tspan key={line} x={label.x} y={label.y + line * letterPx * LINE_HEIGHT}>
            {text}
          </tspan>
        ))}
      </text>
    </g>
  );
}

/** The height of the letters of measures: 13 px, more where a person has larger text. */
export function markLetterPx(): number {
  return (Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16) * 0.8125;
}

/** The values of a large region are counted once the finger that draws it rests. */
const REST_MS = 150;

/** Counts what is too much to be counted while a finger moves, and draws it then. */
function useCounting(measures: Measure[], { shown, isCoarse }: MeasuredPicture): void {
  const [, drawAnew] = useReducer((times: number) => times + 1, 0);
  const { slice, pixels, picture } = shown;
  const { frame } = picture;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the pixel module is the slice's
  useEffect(() => {
    if (isCoarse || frame.kind === "colour") return;
    const scale = valueScale(slice, pixels);
    const uncounted = measuresOf(measures, { shown })
      .filter((measure) => measure.kind === "region" && isWhole(measure))
      .map(({ points }) => ({ frame, corners: points, scale }))
      .filter((region) => regionValues(region) === "uncounted");
    if (uncounted.length === 0) return;
    const left = new AbortController();
    const timer = setTimeout(async () => {
      for (const region of uncounted) {
        await countValues(region, left.signal);
        if (left.signal.aborted) return;
        drawAnew();
      }
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [measures, slice, frame, isCoarse]);
}
