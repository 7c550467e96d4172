/** How a person has turned, moved and enlarged a picture. */
export interface ViewTurn {
  /** 1 fits the picture into the screen. */
  zoom: number;
  /** From the middle, in pixels of the screen. */
  panX: number;
  panY: number;
  /** Quarter turns clockwise, after the flip. */
  quarters: number;
  /** Whether its left and right have changed places. */
  isFlipped: boolean;
}

export const NO_TURN: ViewTurn = { zoom: 1, panX: 0, panY: 0, quarters: 0, isFlipped: false };
const MAX_ZOOM = 20;
const MIN_ZOOM = 0.5;

/** Picture and screen, in pixels. `pixelAspect`: height of a pixel of the picture by its width. */
export interface Stage {
  columns: number;
  rows: number;
  pixelAspect: number;
  width: number;
  height: number;
}

/** Maps picture to screen: x = a·column + c·row + e, y = b·column + d·row + f. */
export interface Placement {
  a: number;
  b: number;
  c: number;
  d: number;
  e: number;
  f: number;
}

/**
 * A quarter turn clockwise, around the middle of the screen: what is seen there stays there.
 * @param stage undefined while nothing is drawn
 */
export function turnedRight(turn: ViewTurn, stage: Stage | undefined): ViewTurn {
  const turned = { ...turn, quarters: (turn.quarters + 1) % 4 };
  // A picture that is not square has another scale once it lies on its side.
  const by = stage ? drawnSize(turned, stage).scale / drawnSize(turn, stage).scale : 1;
  return { ...turned, panX: 0 - turn.panY * by, panY: turn.panX * by };
}

/** On a screen of another size: what is seen in the middle stays there. */
export function resized(turn: ViewTurn, from: Stage, to: Stage): ViewTurn {
  const by = drawnSize(turn, to).scale / drawnSize(turn, from).scale;
  return { ...turn, panX: turn.panX * by, panY: turn.panY * by };
}

/** What is seen changes left and right of the screen, however the picture is turned and moved. */
export function flipped(turn: ViewTurn): ViewTurn {
  const { panX, quarters, isFlipped } = turn;
  return { ...turn, panX: 0 - panX, quarters: (4 - quarters) % 4, isFlipped: !isFlipped };
}

export function placementOf(turn: ViewTurn, stage: Stage): Placement {
  const { columns, rows, pixelAspect, width, height } = stage;
  const { scale } = drawnSize(turn, stage);
  const cos = [1, 0, -1, 0][turn.quarters % 4] ?? 1;
  const sin = [0, 1, 0, -1][turn.quarters % 4] ?? 0;
  const flip = turn.isFlipped ? -1 : 1;
  const a = flip * scale * cos;
  const b = scale * sin * flip;
  const c = -scale * sin * pixelAspect;
  const d = scale * cos * pixelAspect;
  const e = width / 2 + turn.panX - a * (columns / 2) - c * (rows / 2);
  const f = height / 2 + turn.panY - b * (columns / 2) - d * (rows / 2);
  return { a, b, c, d, e, f };
}

/** The picture as it is turned, in pixels of the screen; `scale` is the width of one of its own pixels. */
function drawnSize({ quarters, zoom }: ViewTurn, { columns, rows, pixelAspect, width, height }: Stage) {
  const high = rows * pixelAspect;
  const [across, down] = quarters % 2 === 1 ? [high, columns] : [columns, high];
  const scale = Math.min(width / across, height / down) * Math.max(0.01, zoom);
  return { scale, width: across * scale, height: down * scale };
}

/**
 * Moves the picture back so far that enough of it is seen: along each side it covers three quarters of the screen or, if it is smaller, has
 * three quarters of itself on the screen. Otherwise a person who enlarged an image could see nothing but its black corner. It is needed when
 * a finger moves too far and when the screen is turned.
 */
export function keepSeen(turn: ViewTurn, stage: Stage): ViewTurn {
  const drawn = drawnSize(turn, stage);
  const panX = within(turn.panX, farthest(drawn.width, stage.width));
  const panY = within(turn.panY, farthest(drawn.height, stage.height));
  return panX === turn.panX && panY === turn.panY ? turn : { ...turn, panX, panY };
}

function farthest(drawn: number, screen: number): number {
  return Math.abs(drawn - screen) / 2 + Math.min(drawn, screen) / 4;
}

function within(pan: number, limit: number): number {
  return Math.min(limit, Math.max(-limit, pan));
}

/** Whether several pixels of the picture share one of the screen. */
export function isDrawnSmaller({ a, b, c, d }: Placement): boolean {
  return Math.min(Math.hypot(a, b), Math.hypot(c, d)) < 1;
}

export interface Point {
  x: number;
  y: number;
}

/** The place in the picture (column, row) under a point of the screen. */
export function toPicture({ a, b, c, d, e, f }: Placement, { x, y }: Point): Point {
  const determinant = a * d - b * c;
  return {
    x: (d * (x - e) - c * (y - f)) / determinant,
    y: (a * (y - f) - b * (x - e)) / determinant,
  };
}

export function toScreen({ a, b, c, d, e, f }: Placement, { x, y }: Point): Point {
  return { x: a * x + c * y + e, y: b * x + d * y + f };
}

/** Enlarges by `factor` so that what is at `at` (from the middle of the screen) stays there. */
export function zoomAt(turn: ViewTurn, factor: number, at: Point): ViewTurn {
  const zoom = Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, turn.zoom * factor));
  const by = zoom / turn.zoom;
  return { ...turn, zoom, panX: at.x - (at.x - turn.panX) * by, panY: at.y - (at.y - turn.panY) * by };
}
