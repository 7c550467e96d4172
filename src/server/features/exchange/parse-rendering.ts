import { AppError } from "../../http/app-error.ts";
import { validationFailed } from "../../http/http.errors.ts";
import { type Drawing, MAX_SIDE } from "../thumbnails/worker/picture-messages.ts";

const QUALITY = 90;
const THUMBNAIL_SIDE = 128;
const SHAPES = { linear: "linear", "linear-exact": "linearExact", sigmoid: "sigmoid" } as const;

/**
 * Reads how an image is to be rendered (PS3.18 §8.3.5): `window=center,width,function`, `viewport=width,height` and `quality`.
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
    box: viewport === null ? { width: side, height: side, enlarges: false } : boxOf(viewport),
    ...(window !== null && { window: windowOf(window) }),
  };
}

function boxOf(viewport: string): Drawing["box"] {
  const [width = "", height = "", ...region] = viewport.split(",");
  if (region.some((part) => part !== "")) throw invalid("viewport");
  return {
    width: Math.min(MAX_SIDE, integerOf("viewport", width, 100_000)),
    height: Math.min(MAX_SIDE, integerOf("viewport", height, 100_000)),
    enlarges: true,
  };
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
  return new AppError(validationFailed, { violations: [{ path, code: "invalid", message: path }] });
}
