import type { I18n } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useLayoutEffect, useRef, useState } from "react";
import { modalityValue } from "../../../shared/pixels/grey-table.ts";
import type { PreparedFrame } from "../../../shared/pixels/prepare-frame.ts";
import {
  angleDegrees,
  doseOf,
  isHounsfield,
  isWhole,
  lengthBetween,
  type Measure,
  scaleAt,
} from "../core/measures.ts";
import { type Placement, type Point, toScreen } from "../draw/placement.ts";
import type { ShownPicture } from "./use-picture.ts";

interface MeasureLayerProps {
  measures: Measure[];
  shown: ShownPicture;
  /** Whether it is the beginning of an image that is still on its way: its values are not the image's. */
  isCoarse: boolean;
  placement: Placement;
}

const NO_SCALE = { spacing: undefined, isAtDetector: false };
const LETTER_PX = 8;
/** At the right edge a text would lie under the number of the slider. */
const SLIDER_PX = 72;
const LABEL_OFF_PX = 8;

/** Lengths, angles and values drawn over the picture. */
export function MeasureLayer({ measures, shown, isCoarse, placement }: MeasureLayerProps) {
  const { i18n, t } = useLingui();
  const layer = useRef<SVGSVGElement>(null);
  const [width, setWidth] = useState(Number.POSITIVE_INFINITY);
  useLayoutEffect(() => setWidth(layer.current?.getBoundingClientRect().width || Number.POSITIVE_INFINITY));
  const text = (measure: Measure): string => {
    const one = (value: number) => i18n.number(value, { maximumFractionDigits: 1 });
    if (measure.kind === "probe") return isCoarse ? "…" : valueText(measure.points[0], shown, i18n);
    const { spacing, isAtDetector } = isAsDeclared(shown) ? scaleAt(shown.slice, measure.points) : NO_SCALE;
    const drawn = { rows: shown.pixels.pixelAspect, columns: 1 };
    if (measure.kind === "angle") {
      const degrees = angleDegrees(measure.points, spacing ?? drawn);
      return degrees === undefined ? "" : `${one(degrees)}°`;
    }
    if (!isWhole(measure)) return "";
    const lengthPx = i18n.number(lengthBetween(measure.points, drawn), { maximumFractionDigits: 0 });
    if (!spacing) return t({ id: "visor.measure.noSpacing", message: `${lengthPx} px, no scale` });
    const length = one(lengthBetween(measure.points, spacing));
    if (isAtDetector) return t({ id: "visor.measure.atReceptor", message: `${length} mm at the receptor` });
    return `${length} mm`;
  };
  const own = measures.filter(({ sliceKey }) => sliceKey === shown.slice.key);
  // The width is not asked for without measures, because the answer takes a layout of the page.
  if (own.length === 0) return null;
  return (
    <svg ref={layer} className="visor-measures" aria-hidden="true">
      {[...own.entries()].map(([at, measure]) => {
        const points = measure.points.map((point) => toScreen(placement, point));
        const last = points.at(-1);
        const label = text(measure);
        const labelPx = label.length * LETTER_PX;
        const isRight = !last || last.x + labelPx + SLIDER_PX < width || last.x < labelPx;
        return (
          <g key={at}>
            <polyline points={points.map(({ x, y }) => `${x},${y}`).join(" ")} />
            {[...points.entries()].map(([place, { x, y }]) => (
              <circle key={place} cx={x} cy={y} r={3} />
            ))}
            {last && (
              <text
                x={last.x + (isRight ? LABEL_OFF_PX : -LABEL_OFF_PX)}
                y={last.y - LABEL_OFF_PX}
                textAnchor={isRight ? "start" : "end"}
              >
                {label}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

/** Whether the stream has the size that its image declares: what that says of scales and places is of no other. */
function isAsDeclared({ picture: { frame }, pixels }: ShownPicture): boolean {
  return frame.rows === pixels.rows && frame.columns === pixels.columns;
}

function valueText(point: Point | undefined, { picture, pixels, slice }: ShownPicture, i18n: I18n): string {
  if (!point) return "";
  const stored = valueAt(picture.frame, point);
  if (stored === undefined) return "";
  if (typeof stored !== "number") return stored.join(" ");
  const dose = doseOf(slice);
  const scaled = (value: number) => (dose ? value * dose.scaling : modalityValue(pixels, value));
  const value = asExact(scaled(stored), scaled(stored + stepOf(picture.frame)) - scaled(stored));
  const digits =
    Math.abs(value) < 10 ? { maximumSignificantDigits: 4 } : { maximumFractionDigits: dose ? 2 : 1 };
  const number = i18n.number(value, digits);
  if (dose?.isGray) return `${number} Gy`;
  if (dose) return i18n._(msg({ id: "visor.measure.relativeDose", message: `${number} (relative dose)` }));
  const { supplement: [colours] = [] } = pixels;
  const isGrey = !colours || stored < colours.first;
  return `${number}${isGrey && isHounsfield(slice) ? " HU" : ""}`;
}

/** How far apart stored values are that are told from each other; 0 if each is. */
function stepOf(frame: PreparedFrame): number {
  return frame.kind === "grey" && frame.step !== 1 ? frame.step : 0;
}

/** Without digits that tell less than this step between values. */
function asExact(value: number, step: number): number {
  const places = Math.ceil(-Math.log10(Math.abs(step)));
  return step === 0 || !Number.isFinite(places)
    ? value
    : Number(value.toFixed(Math.min(100, Math.max(0, places))));
}

/** The stored value, or the colours, at a place. */
function valueAt(frame: PreparedFrame, { x, y }: Point): number | number[] | undefined {
  const [column, row] = [Math.floor(x), Math.floor(y)];
  if (column < 0 || row < 0 || column >= frame.columns || row >= frame.rows) return undefined;
  const at = row * frame.columns + column;
  if (frame.kind === "colour") return [...frame.bytes.subarray(at * 3, at * 3 + 3)];
  return frame.first + (frame.indexes[at] ?? 0) * frame.step;
}
