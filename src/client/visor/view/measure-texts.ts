import type { I18n } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { PreparedFrame } from "../../../shared/pixels/prepare-frame.ts";
import { angleDegrees, isWhole, lengthBetween, type Measure, scaleAt } from "../core/measures.ts";
import { ellipseArea, ellipseOf, placesOf, regionValues } from "../core/regions.ts";
import type { Ellipse } from "../core/ultrasound-regions.ts";
import { type ValueUnit, valueScale } from "../core/value-scale.ts";
import type { Point } from "../draw/placement.ts";
import type { ShownPicture } from "./use-picture.ts";

/** An image as it is measured. */
export interface MeasuredPicture {
  shown: ShownPicture;
  /** Whether it is the beginning of an image that is still on its way: its values are not the image's. */
  isCoarse: boolean;
}

const NO_SCALE = { spacing: undefined, isAtDetector: false };
const TO_COME = "…";

/** What is written beside a measure, line by line. */
export function measureLines(measure: Measure, { shown, isCoarse }: MeasuredPicture, i18n: I18n): string[] {
  const { kind, points } = measure;
  const scaleOf = (places: readonly Point[], ellipse?: Ellipse) =>
    isAsDeclared(shown) ? scaleAt(shown.slice, places, ellipse) : NO_SCALE;
  const drawn = { rows: shown.pixels.pixelAspect, columns: 1 };
  if (kind === "probe") return [isCoarse ? TO_COME : valueText(points[0], shown, i18n)];
  if (kind === "angle") {
    const degrees = angleDegrees(points, scaleOf(points).spacing ?? drawn);
    return degrees === undefined ? [] : [`${oneDigit(i18n, degrees)}°`];
  }
  if (!isWhole(measure)) return [];
  if (kind === "length") {
    const { spacing, isAtDetector } = scaleOf(points);
    const lengthPx = i18n.number(lengthBetween(points, drawn), { maximumFractionDigits: 0 });
    if (!spacing)
      return [i18n._(msg({ id: "visor.measure.noSpacing", message: `${lengthPx} px, no scale` }))];
    const length = sizeText(i18n, lengthBetween(points, spacing));
    if (!isAtDetector) return [`${length} mm`];
    return [i18n._(msg({ id: "visor.measure.atReceptor", message: `${length} mm at the receptor` }))];
  }
  const ellipse = ellipseOf(points);
  if (!ellipse) return [];
  const area = areaText(ellipse, { ...scaleOf(placesOf(ellipse), ellipse), drawn }, i18n);
  return [area, ...valuesOfRegion(points, { shown, isCoarse }, i18n)];
}

function oneDigit(i18n: I18n, value: number): string {
  return i18n.number(value, { maximumFractionDigits: 1 });
}

/** A length or an area: what is below one of its unit keeps two digits, so that it is not told as none. */
function sizeText(i18n: I18n, size: number): string {
  return size < 1 ? i18n.number(size, { maximumSignificantDigits: 2 }) : oneDigit(i18n, size);
}

interface AreaScale extends ReturnType<typeof scaleAt> {
  /** Of a pixel as it is seen, where nothing says how large it is. */
  drawn: { rows: number; columns: number };
}

function areaText(ellipse: Ellipse, { spacing, isAtDetector, drawn }: AreaScale, i18n: I18n): string {
  const areaPx = i18n.number(ellipseArea(ellipse, drawn), { maximumFractionDigits: 0 });
  if (!spacing) return i18n._(msg({ id: "visor.measure.areaNoSpacing", message: `${areaPx} px², no scale` }));
  const area = sizeText(i18n, ellipseArea(ellipse, spacing));
  if (!isAtDetector) return `${area} mm²`;
  return i18n._(msg({ id: "visor.measure.areaAtReceptor", message: `${area} mm² at the receptor` }));
}

/** Nothing for colours, and where no pixel is inside. */
function valuesOfRegion(
  corners: readonly Point[],
  { shown: { picture, pixels, slice }, isCoarse }: MeasuredPicture,
  i18n: I18n,
): string[] {
  const { frame } = picture;
  if (frame.kind === "colour") return [];
  const scale = valueScale(slice, pixels);
  const values = isCoarse ? "uncounted" : regionValues({ frame, corners, scale });
  if (values === "uncounted") return [TO_COME];
  if (values === "none") return [];
  const { highestStored, ...told } = values;
  const unit = scale.unit(highestStored);
  const stepAt = scale.of(highestStored + stepOf(frame)) - scale.of(highestStored);
  const largest = Math.max(Math.abs(told.lowest), Math.abs(told.highest));
  // Sums of numbers with fractions are off in their last digits.
  const step = Math.max(Math.abs(stepAt), largest * 1e-9);
  const number = (value: number) => numberText(value, { step, unit, largest }, i18n);
  const mean = withUnit(number(told.mean), unit, i18n);
  const deviation = number(told.deviation);
  const [lowest, highest] = [number(told.lowest), number(told.highest)];
  return [
    i18n._(msg({ id: "visor.measure.mean", message: `Mean ${mean} · SD ${deviation}` })),
    i18n._(msg({ id: "visor.measure.range", message: `Min. ${lowest} · Max. ${highest}` })),
  ];
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
  const scale = valueScale(slice, pixels);
  const step = scale.of(stored + stepOf(picture.frame)) - scale.of(stored);
  const unit = scale.unit(stored);
  return withUnit(numberText(scale.of(stored), { step, unit }, i18n), unit, i18n);
}

interface TextOfNumber {
  /** Between values that are told from each other; 0 if each is. */
  step: number;
  unit: ValueUnit | undefined;
  /** The one beside it that has the most digits before the point; itself if it is alone. */
  largest?: number;
}

function numberText(value: number, { step, unit, largest }: TextOfNumber, i18n: I18n): string {
  const exact = asExact(value, step);
  const isDose = unit === "gray" || unit === "relativeDose";
  return i18n.number(
    exact,
    Math.abs(largest ?? exact) < 10
      ? { maximumSignificantDigits: 4 }
      : { maximumFractionDigits: isDose ? 2 : 1 },
  );
}

function withUnit(number: string, unit: ValueUnit | undefined, i18n: I18n): string {
  if (unit === "relativeDose")
    return i18n._(msg({ id: "visor.measure.relativeDose", message: `${number} (relative dose)` }));
  return unit === "gray" ? `${number} Gy` : unit === "hounsfield" ? `${number} HU` : number;
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

/** The stored value, or the colours, at a place; undefined where there is none. */
function valueAt(frame: PreparedFrame, { x, y }: Point): number | number[] | undefined {
  const [column, row] = [Math.floor(x), Math.floor(y)];
  if (column < 0 || row < 0 || column >= frame.columns || row >= frame.rows) return undefined;
  const at = row * frame.columns + column;
  if (frame.kind === "colour") return [...frame.bytes.subarray(at * 3, at * 3 + 3)];
  const index = frame.indexes[at] ?? 0;
  if (frame.hasGaps && (index < frame.lowest || index > frame.highest)) return undefined;
  return frame.first + index * frame.step;
}
