import { createCanvasRenderer } from "./canvas-renderer.ts";
import type { Renderer } from "./picture.ts";
import { createWebglRenderer } from "./webgl-renderer.ts";

/** WebGL 2 where there is one that holds the picture, else a plain canvas with the same pixels. */
export function createRenderer(canvas: HTMLCanvasElement): Renderer {
  return createWebglRenderer(canvas) ?? createCanvasRenderer(canvas);
}

let areGraphicsWarm = false;

/** Makes a renderer once and takes it away again: the browser's graphics and our programs start faster the second time. */
export function warmGraphics(): void {
  if (areGraphicsWarm) return;
  areGraphicsWarm = true;
  const canvas = document.createElement("canvas");
  const renderer = createWebglRenderer(canvas);
  renderer?.dispose();
  // Browsers keep few contexts at once.
  if (renderer) canvas.getContext("webgl2")?.getExtension("WEBGL_lose_context")?.loseContext();
}
