import { createCanvasRenderer } from "./canvas-renderer.ts";
import type { Renderer } from "./picture.ts";
import { createWebglRenderer } from "./webgl-renderer.ts";

/** A canvas with what draws on it. */
export interface FilmCanvas {
  canvas: HTMLCanvasElement;
  renderer: Renderer;
}

let ahead: FilmCanvas | undefined;

/** Makes the next film's canvas before it is asked for: graphics and programs take long to start. */
export function warmGraphics(): void {
  ahead ??= makeCanvas();
}

/** A canvas for a film, made ahead if there is one. */
export function takeCanvas(): FilmCanvas {
  const made = ahead;
  ahead = undefined;
  return made && !isLost(made) ? made : makeCanvas();
}

/** WebGL 2 where there is one that takes our programs, else a plain canvas with the same pixels. */
function makeCanvas(): FilmCanvas {
  const canvas = document.createElement("canvas");
  return withWebgl(canvas) ?? makePlainCanvas();
}

/** With graphics that came back, which are empty; undefined where they take none of our programs any more. */
export function withWebgl(canvas: HTMLCanvasElement): FilmCanvas | undefined {
  const renderer = createWebglRenderer(canvas);
  return renderer && { canvas, renderer };
}

/** A new canvas: one that had WebGL, even without our programs, never has anything else. */
export function makePlainCanvas(): FilmCanvas {
  const canvas = document.createElement("canvas");
  return { canvas, renderer: createCanvasRenderer(canvas) };
}

/**
 * Gives the graphics of a canvas back that nobody sees any more. A browser gives a page some sixteen and frees none before it collects
 * its garbage, so that openings of the visor one after the other would take them from each other.
 */
export function releaseCanvas(canvas: HTMLCanvasElement): void {
  canvas.getContext("webgl2")?.getExtension("WEBGL_lose_context")?.loseContext();
}

/** A phone takes the graphics away from a page in the background. */
function isLost({ canvas }: FilmCanvas): boolean {
  return canvas.getContext("webgl2")?.isContextLost() === true;
}
