import { createCanvasRenderer } from "./canvas-renderer.ts";
import type { Renderer } from "./picture.ts";
import { isDrawnBySoftware } from "./software-graphics.ts";
import { createWebglRenderer, webglOf } from "./webgl-renderer.ts";

/** A canvas with what draws on it. */
export interface FilmCanvas {
  canvas: HTMLCanvasElement;
  renderer: Renderer;
}

let ahead: FilmCanvas | undefined;
/** Whether hardware draws WebGL here; undefined until the first canvas asked. */
let hasHardware: boolean | undefined;

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

/** WebGL 2 where hardware draws it, else a plain canvas with the same pixels, which is faster than WebGL in software. */
function makeCanvas(): FilmCanvas {
  const canvas = document.createElement("canvas");
  const renderer = hasHardware === false ? undefined : createHardwareRenderer(canvas);
  if (renderer) return { canvas, renderer };
  // One that has begun with WebGL draws in no other way.
  const plain = document.createElement("canvas");
  return { canvas: plain, renderer: createCanvasRenderer(plain) };
}

function createHardwareRenderer(canvas: HTMLCanvasElement): Renderer | undefined {
  const gl = webglOf(canvas);
  hasHardware = gl !== null && !isDrawnBySoftware(gl);
  if (hasHardware) return createWebglRenderer(canvas);
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return undefined;
}

/** For a canvas whose graphics came back. They are empty, and may be others than before. */
export function renewRenderer(canvas: HTMLCanvasElement): Renderer {
  return createWebglRenderer(canvas) ?? createCanvasRenderer(canvas);
}

/** A phone takes the graphics away from a page in the background. */
function isLost({ canvas }: FilmCanvas): boolean {
  return canvas.getContext("webgl2")?.isContextLost() === true;
}
