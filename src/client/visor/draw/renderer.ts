import { createCanvasRenderer } from "./canvas-renderer.ts";
import type { Renderer } from "./picture.ts";
import { createWebglRenderer } from "./webgl-renderer.ts";

/** WebGL 2 where there is one that holds the picture, else a plain canvas with the same pixels. */
export function createRenderer(canvas: HTMLCanvasElement): Renderer {
  return createWebglRenderer(canvas) ?? createCanvasRenderer(canvas);
}
