import type { DecodedFrame } from "../../../../shared/pixels/decoded-frame.ts";
import type { PixelModule, Window } from "../../../../shared/pixels/pixel-module.ts";
import { cropFrame } from "./crop-frame.ts";
import { decodeRequested, readParts, whyNot } from "./decode-requested.ts";
import { drawColour, drawPalette } from "./draw-colour.ts";
import { drawGrey } from "./draw-grey.ts";
import { encodePicture } from "./encode-picture.ts";
import { MAX_SIDE, type PictureReply, type PictureRequest } from "./picture-messages.ts";
import type { Raster } from "./shrink.ts";

const LONGEST_SIDE = 128;

/** Makes the small picture of one frame, or says why there is none. Hostile input may make it take long. */
export async function makePicture(request: PictureRequest): Promise<PictureReply> {
  try {
    const parts = await readParts(request);
    const { drawing } = request;
    const pixels = drawing?.window ? inWindow(parts.pixels, drawing.window) : parts.pixels;
    const decoded = await decodeRequested(parts, request);
    const shown = drawing?.region ? cropFrame(decoded, drawing.region) : decoded;
    const { pixelAspect } = pixels;
    const box = drawing?.box ?? { width: LONGEST_SIDE, height: LONGEST_SIDE, enlarges: false };
    // The raster has twice the resolution of a small picture; the rest is resampled with a better filter.
    const side = Math.min(MAX_SIDE, 2 * Math.max(box.width, box.height));
    const raster = draw(shown, pixels, { side, isWindowed: drawing?.window !== undefined });
    const image = await encodePicture(raster, { box, pixelAspect, ...(drawing && { drawing }) });
    return { ok: true, image };
  } catch (error) {
    return whyNot(error);
  }
}

/** The pixels as a window shows them, whatever the instance proposes. */
function inWindow({ voiTable: _, ...pixels }: PixelModule, window: Window): PixelModule {
  return { ...pixels, window };
}

function draw(
  frame: DecodedFrame,
  pixels: PixelModule,
  { side, isWindowed }: { side: number; isWindowed: boolean },
): Raster {
  if (frame.samplesPerPixel >= 3) return drawColour(frame, pixels, side);
  if (pixels.palette) return drawPalette(frame, pixels, pixels.palette, side);
  return drawGrey(frame, pixels, side, isWindowed);
}
