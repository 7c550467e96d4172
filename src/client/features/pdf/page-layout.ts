/** Page size in points, after rotation. */
export interface PageSize {
  width: number;
  height: number;
}

/** A factor of the paper's own size, or the dimension to fit; `auto` is the paper's own size if there is room. */
export type Zoom = number | "auto" | "width" | "page";

const ZOOM_STEPS = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];
/** CSS pixels per point: an inch has 96 CSS pixels and 72 points. */
const PX_PER_POINT = 96 / 72;
const PAGE_GAP_PX = 20;
const MAX_SCALE = 8;
const MIN_SCALE = 0.05;
const MAX_CANVAS_PIXELS = 16_000_000;
const MAX_PIXEL_RATIO = 2;
/** Number of pages drawn above and below the visible ones. */
const MARGIN_PAGES = 1;
const MAX_DRAWN_PAGES = 24;

/** CSS pixels per point for a zoom on a stage of this size. */
export function scaleOf(zoom: Zoom, page: PageSize, stage: PageSize): number {
  const width = Math.max(1, stage.width - 2 * PAGE_GAP_PX);
  const height = Math.max(1, stage.height - 2 * PAGE_GAP_PX);
  if (typeof zoom === "number") return clampScale(zoom * PX_PER_POINT);
  const byWidth = width / page.width;
  if (zoom === "auto") return clampScale(Math.min(byWidth, PX_PER_POINT));
  return clampScale(zoom === "width" ? byWidth : Math.min(byWidth, height / page.height));
}

/** The percentage shown in the bar, e.g. 100 for the paper's own size. */
export function percentOf(scale: number): number {
  return Math.round((scale / PX_PER_POINT) * 100);
}

/** The next zoom up (`1`) or down (`-1`) from a scale; the outermost steps return themselves. */
export function nextZoom(scale: number, direction: 1 | -1): number {
  const now = scale / PX_PER_POINT;
  const isBeyond = (step: number) => (direction === 1 ? step > now * 1.01 : step < now * 0.99);
  const beyond = ZOOM_STEPS.filter(isBeyond);
  return (direction === 1 ? beyond[0] : beyond.at(-1)) ?? (direction === 1 ? 4 : 0.25);
}

/** The zoom after a pinch, within the range of the buttons. */
export function pinchedZoom(scale: number, factor: number): number {
  const [least = 1] = ZOOM_STEPS;
  const most = ZOOM_STEPS.at(-1) ?? least;
  return Math.min(most, Math.max(least, (scale / PX_PER_POINT) * factor));
}

/** Tops of the pages in CSS pixels, followed by the total height. `sizeOf` counts from 0. */
export function layOut(count: number, scale: number, sizeOf: (index: number) => PageSize): Float64Array {
  const tops = new Float64Array(count + 1);
  let top = PAGE_GAP_PX;
  for (let index = 0; index < count; index++) {
    tops[index] = top;
    top += Math.floor(sizeOf(index).height * scale) + PAGE_GAP_PX;
  }
  tops[count] = top;
  return tops;
}

/** The page at a scroll height, counted from 0. */
export function pageAt(tops: Float64Array, y: number): number {
  let low = 0;
  let high = Math.max(0, tops.length - 2);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((tops[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The pages to draw, counted from 0. Their number is bounded, however small they are. */
export function drawnPages(tops: Float64Array, scrollTop: number, height: number): number[] {
  const count = tops.length - 1;
  if (count <= 0) return [];
  const first = Math.max(0, pageAt(tops, scrollTop) - MARGIN_PAGES);
  const last = Math.min(count - 1, pageAt(tops, scrollTop + height) + MARGIN_PAGES, first + MAX_DRAWN_PAGES);
  return Array.from({ length: last - first + 1 }, (_, place) => first + place);
}

/** Device pixels per CSS pixel, reduced for huge pages so that browsers can hold the canvas. */
export function pixelRatioOf(page: PageSize, scale: number, devicePixelRatio: number): number {
  const area = Math.max(1, page.width * scale * page.height * scale);
  return Math.min(devicePixelRatio, MAX_PIXEL_RATIO, Math.sqrt(MAX_CANVAS_PIXELS / area));
}

function clampScale(scale: number): number {
  return Math.min(MAX_SCALE, Math.max(MIN_SCALE, scale));
}
