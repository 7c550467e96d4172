import { type Placement, type Point, toPicture } from "../draw/placement.ts";

interface ImageSize {
  columns: number;
  rows: number;
}

/** An arrow key's way, in CSS pixels of the film. */
const STEP_PX = 10;
/** How near the edge of the film the crosshair may come, in CSS pixels. */
const MARGIN_PX = 32;

/** The middle of the image's pixel that is nearest to a place. */
export function pixelAt({ x, y }: Point, { columns, rows }: ImageSize): Point {
  return { x: middleWithin(x, columns), y: middleWithin(y, rows) };
}

function middleWithin(place: number, count: number): number {
  return Math.min(count - 1, Math.max(0, Math.floor(place))) + 0.5;
}

export interface Step {
  /** A direction of the screen: one of both is 1 or -1, the other 0. */
  towards: Point;
  /** By one pixel of the image, instead of about ten of the screen. */
  isFine: boolean;
}

/** The pixel of the image that an arrow key goes to from another one, however the picture is turned. */
export function stepped(at: Point, { towards, isFine }: Step, placement: Placement, image: ImageSize): Point {
  const [from, to] = [toPicture(placement, { x: 0, y: 0 }), toPicture(placement, towards)];
  const way = { x: to.x - from.x, y: to.y - from.y };
  const isAcross = Math.abs(way.x) > Math.abs(way.y);
  const perPx = isAcross ? way.x : way.y;
  const by = Math.sign(perPx) * (isFine ? 1 : Math.max(1, Math.round(Math.abs(perPx) * STEP_PX)));
  return pixelAt({ x: at.x + (isAcross ? by : 0), y: at.y + (isAcross ? 0 : by) }, image);
}

/** How far the picture has to move, in CSS pixels, so that a place of the film is seen well. */
export function wayIntoView({ x, y }: Point, film: { width: number; height: number }): Point {
  return { x: wayInto(x, film.width), y: wayInto(y, film.height) };
}

function wayInto(place: number, length: number): number {
  const margin = Math.min(MARGIN_PX, length / 4);
  return Math.min(length - margin, Math.max(margin, place)) - place;
}
