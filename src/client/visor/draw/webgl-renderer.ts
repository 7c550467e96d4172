import { hasColours } from "../../../shared/pixels/drawn-table.ts";
import type { GreyFrame, PreparedFrame } from "../../../shared/pixels/prepare-frame.ts";
import type { Picture, Renderer } from "./picture.ts";
import { isDrawnSmaller, type Placement } from "./placement.ts";
import { reduceFrame } from "./reduce-frame.ts";

/** A power of two, so that a place in the table needs no division at each pixel. */
const TABLE_WIDTH = 256;

/** Draws a rectangle; `placed` maps the unit square of the picture to the screen. */
const VERTEX = `#version 300 es
uniform mat3 placed;
out vec2 at;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  at = corner;
  gl_Position = vec4((placed * vec3(corner, 1.0)).xy, 0.0, 1.0);
}`;

/** Looks each index up in the table of grey levels or of colours, at the size of the picture. */
const SHADE = `#version 300 es
precision highp float;
precision highp int;
precision highp usampler2D;
uniform usampler2D indexes;
uniform sampler2D levels;
out vec4 colour;
void main() {
  uint index = texelFetch(indexes, ivec2(gl_FragCoord.xy), 0).r;
  colour = vec4(texelFetch(levels, ivec2(index & ${TABLE_WIDTH - 1}u, index >> ${Math.log2(TABLE_WIDTH)}u), 0).rgb, 1.0);
}`;

const PLACE = `#version 300 es
precision highp float;
uniform sampler2D picture;
uniform bool isGrey;
uniform bool isInverted;
in vec2 at;
out vec4 colour;
void main() {
  vec4 pixel = texture(picture, at);
  vec3 seen = isGrey ? pixel.rrr : pixel.rgb;
  colour = vec4(isInverted ? 1.0 - seen : seen, 1.0);
}`;

/** A renderer with WebGL 2; undefined where there is none, or where it takes none of the programs. */
export function createWebglRenderer(canvas: HTMLCanvasElement): Renderer | undefined {
  const gl = canvas.getContext("webgl2", {
    alpha: false,
    antialias: false,
    depth: false,
    preserveDrawingBuffer: true,
  });
  if (!gl) return undefined;
  const shade = programOf(gl, SHADE);
  const place = programOf(gl, PLACE);
  if (!shade || !place) return undefined;
  const textures = { indexes: gl.createTexture(), levels: gl.createTexture(), picture: gl.createTexture() };
  const target = gl.createFramebuffer();
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  const maxSide: number = gl.getParameter(gl.MAX_TEXTURE_SIZE);
  let shown: Picture | undefined;
  /** Whether the shown picture has its smaller copies, which are needed only where it is drawn smaller than it is. */
  let hasSmaller = false;
  let reduced: { of: PreparedFrame; frame: PreparedFrame } | undefined;

  /** What of a frame fits into a texture. */
  function fitting(frame: PreparedFrame): PreparedFrame {
    if (reduced?.of !== frame) reduced = { of: frame, frame: reduceFrame(frame, maxSide) };
    return reduced.frame;
  }

  function sendGrey(frame: GreyFrame, table: Uint8Array): void {
    if (!gl || !shade) return;
    const { rows, columns, indexes } = frame;
    const isSmall = indexes instanceof Uint8Array;
    const areColours = hasColours(table, frame);
    const [stored, format] = areColours ? [gl.RGB8, gl.RGB] : [gl.R8, gl.RED];
    if (shown?.frame !== frame) {
      bind(gl, textures.indexes, gl.NEAREST);
      const [inside, type] = isSmall ? [gl.R8UI, gl.UNSIGNED_BYTE] : [gl.R16UI, gl.UNSIGNED_SHORT];
      const hasPlace =
        hasSize(shown, frame) && shown?.frame.kind === "grey" && shown.frame.levels === frame.levels;
      if (hasPlace) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, columns, rows, gl.RED_INTEGER, type, indexes);
      else gl.texImage2D(gl.TEXTURE_2D, 0, inside, columns, rows, 0, gl.RED_INTEGER, type, indexes);
    }
    if (shown?.table !== table || shown.frame.kind !== "grey") {
      bind(gl, textures.levels, gl.NEAREST);
      const high = Math.ceil(frame.levels / TABLE_WIDTH);
      gl.texImage2D(gl.TEXTURE_2D, 0, stored, TABLE_WIDTH, high, 0, format, gl.UNSIGNED_BYTE, table);
    }
    bind(gl, textures.picture, gl.LINEAR);
    if (!hasSize(shown, frame) || (shown && isGrey(shown)) === areColours) {
      gl.texImage2D(gl.TEXTURE_2D, 0, stored, columns, rows, 0, format, gl.UNSIGNED_BYTE, null);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, textures.picture, 0);
    gl.viewport(0, 0, columns, rows);
    // biome-ignore lint/correctness/useHookAtTopLevel: a method of WebGL, no hook
    gl.useProgram(shade);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, textures.levels);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, textures.indexes);
    gl.uniform1i(gl.getUniformLocation(shade, "indexes"), 0);
    gl.uniform1i(gl.getUniformLocation(shade, "levels"), 1);
    gl.uniformMatrix3fv(gl.getUniformLocation(shade, "placed"), false, [2, 0, 0, 0, 2, 0, -1, -1, 1]);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  function send(picture: Picture): void {
    if (!gl) return;
    const { frame, table } = picture;
    if (frame.kind === "grey") {
      if (shown?.frame === frame && shown.table === table) return;
      sendGrey(frame, table);
    } else {
      if (shown?.frame === frame) return;
      bind(gl, textures.picture, gl.LINEAR);
      const { columns, rows, bytes } = frame;
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB8, columns, rows, 0, gl.RGB, gl.UNSIGNED_BYTE, bytes);
    }
    hasSmaller = false;
  }

  return {
    draw(picture, placement) {
      const sent = { ...picture, frame: fitting(picture.frame) };
      send(sent);
      shown = sent;
      const { columns, rows, kind } = picture.frame;
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0, 0, 0, 1);
      gl.clear(gl.COLOR_BUFFER_BIT);
      // biome-ignore lint/correctness/useHookAtTopLevel: a method of WebGL, no hook
      gl.useProgram(place);
      const isSmaller = isDrawnSmaller(placement);
      bind(gl, textures.picture, isSmaller ? gl.LINEAR_MIPMAP_LINEAR : gl.LINEAR);
      if (isSmaller && !hasSmaller) {
        gl.generateMipmap(gl.TEXTURE_2D);
        hasSmaller = true;
      }
      gl.uniform1i(gl.getUniformLocation(place, "picture"), 0);
      gl.uniform1i(gl.getUniformLocation(place, "isGrey"), isGrey(picture) ? 1 : 0);
      gl.uniform1i(
        gl.getUniformLocation(place, "isInverted"),
        kind === "colour" && picture.isInverted ? 1 : 0,
      );
      const matrix = clipMatrix(placement, columns, rows, canvas);
      gl.uniformMatrix3fv(gl.getUniformLocation(place, "placed"), false, matrix);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    },
    clear() {
      gl.clearColor(0, 0, 0, 1);
      gl.clear(gl.COLOR_BUFFER_BIT);
    },
    dispose() {
      for (const texture of Object.values(textures)) gl.deleteTexture(texture);
      gl.deleteFramebuffer(target);
      gl.deleteProgram(shade);
      gl.deleteProgram(place);
      shown = undefined;
    },
  };
}

/** Whether its pixels are drawn as levels of grey alone. */
function isGrey({ frame, table }: Picture): boolean {
  return frame.kind === "grey" && !hasColours(table, frame);
}

function hasSize(shown: Picture | undefined, { rows, columns }: GreyFrame): boolean {
  return shown?.frame.kind === "grey" && shown.frame.rows === rows && shown.frame.columns === columns;
}

/** Maps the unit square of the picture to clip space, column by column. In clip space y grows upward. */
function clipMatrix(
  { a, b, c, d, e, f }: Placement,
  columns: number,
  rows: number,
  { width, height }: HTMLCanvasElement,
): number[] {
  const [x, y] = [2 / width, -2 / height];
  return [a * columns * x, b * columns * y, 0, c * rows * x, d * rows * y, 0, e * x - 1, f * y + 1, 1];
}

function bind(gl: WebGL2RenderingContext, texture: WebGLTexture | null, filter: number): void {
  gl.activeTexture(gl.TEXTURE0);
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter === gl.NEAREST ? gl.NEAREST : gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
}

function programOf(gl: WebGL2RenderingContext, fragment: string): WebGLProgram | undefined {
  const program = gl.createProgram();
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, fragment],
  ] as const) {
    const shader = gl.createShader(kind);
    if (!shader) return undefined;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
    // It lives for as long as its program.
    gl.deleteShader(shader);
  }
  gl.linkProgram(program);
  return gl.getProgramParameter(program, gl.LINK_STATUS) ? program : undefined;
}
