/** Browsers that keep the name of the graphics to themselves unless asked for it. */
const WITHHELD = "WebKit WebGL";

/** SwiftShader (Chromium), llvmpipe and softpipe (Mesa), WARP (Windows), Apple's software renderer. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|microsoft basic render|software/i;

/** Whether the processor draws what this context should have the graphics hardware draw. */
export function isDrawnBySoftware(gl: WebGL2RenderingContext): boolean {
  return SOFTWARE.test(rendererName(gl));
}

function rendererName(gl: WebGL2RenderingContext): string {
  const name = String(gl.getParameter(gl.RENDERER));
  const unmasked = name === WITHHELD ? gl.getExtension("WEBGL_debug_renderer_info") : null;
  return unmasked ? String(gl.getParameter(unmasked.UNMASKED_RENDERER_WEBGL)) : name;
}
