import { AppError } from "../../http/app-error.ts";
import { validationFailed } from "../../http/http.errors.ts";
import { type Drawing, MAX_SIDE } from "../thumbnails/worker/picture-messages.ts";

const QUALITY = 90;
const THUMBNAIL_SIDE = 128;
/** Of a side; images with more are not drawn. */
const MAX_PIXELS = 100_000;
const SHAPES = { linear: "linear", "linear-exact": "linearExact", sigmoid: "sigmoid" } as const;

/**
 * Reads how an image is to be rendered (PS3.18 §8.3.5): `window=center,width,function`, `viewport=width,height` with the
 * part of the image that it shows, perhaps, as `,left,top,width,height`, and `quality`.
 * @throws {AppError} 400
 */
export function parseRendering(
  parameters: URLSearchParams,
  picture: "rendered" | "thumbnail",
): Omit<Drawing, "type"> {
  const viewport = parameters.get("viewport");
  const window = parameters.get("window");
  const quality = parameters.get("quality");
  const side = picture === "thumbnail" ? THUMBNAIL_SIDE : MAX_SIDE;
  return {
    quality: quality === null ? QUALITY : integerOf("quality", quality, 100),
    ...(viewport === null ? { box: { width: side, height: side, enlarges: false } } : viewportOf(viewport)),
    ...(window !== null && { window: windowOf(window) }),
  };
}

function viewportOf(viewport: string): Pick<Drawing, "box" | "region"> {
  const [width = "", height = "", ...region] = viewport.split(",", 7);
  const box = {
    width: Math.min(MAX_SIDE, integerOf("viewport", width, MAX_PIXELS)),
    height: Math.min(MAX_SIDE, integerOf("viewport", height, MAX_PIXELS)),
    enlarges: true,
  };
  if (region.length > 4) throw invalid("viewport");
  const [left = 0, top = 0, wide, high] = region.map(pixelsOf);
  if (wide === 0 || high === 0) throw invalid("viewport");
  if (region.every((part) => part === "")) return { box };
  return { box, region: { left: Math.abs(left), top: Math.abs(top), width: wide, height: high } };
}

/** A decimal number of pixels; undefined for none. */
function pixelsOf(text: string): number | undefined {
  if (text === "") return undefined;
  if (!/^[+-]?\d{1,6}(\.\d{1,6})?$/.test(text) || Math.abs(Number(text)) > MAX_PIXELS)
    throw invalid("viewport");
  return Number(text);
}

function windowOf(window: string): NonNullable<Drawing["window"]> {
  const [center = "", width = "", name = "linear", ...more] = window.split(",");
  const shape = Object.entries(SHAPES).find(([known]) => known === name.toLowerCase())?.[1];
  const values = { center: Number(center), width: Number(width) };
  const isReadable = center !== "" && Number.isFinite(values.center) && Number.isFinite(values.width);
  if (!shape || more.length > 0 || !isReadable || values.width <= 0) throw invalid("window");
  return { ...values, shape };
}

function integerOf(name: string, text: string, most: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most) throw invalid(name);
  return value;
}

function invalid(path: string): AppError {
  return new AppError(validationFailed, { violations: [{ path, code: "invalid" }] });
}
