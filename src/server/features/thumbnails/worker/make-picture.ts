import { toDicomJson } from "../../../../shared/dicom/reading/json-model.ts";
import { memorySource } from "../../../../shared/dicom/reading/memory-source.ts";
import { Unreadable } from "../../../../shared/dicom/reading/unreadable.ts";
import { decodeFrame } from "../../../../shared/pixels/decode-frame.ts";
import type { DecodedFrame } from "../../../../shared/pixels/decoded-frame.ts";
import { NoPicture } from "../../../../shared/pixels/no-picture.ts";
import { assertDrawable } from "../../../../shared/pixels/pixel-bounds.ts";
import { type PixelModule, readPixelModule, type Window } from "../../../../shared/pixels/pixel-module.ts";
import { createCodecs } from "../../../../shared/pixels/wasm-codec.ts";
import { parseFile } from "../../../dicom/parse-file.ts";
import { cropFrame } from "./crop-frame.ts";
import { drawColour, drawPalette } from "./draw-colour.ts";
import { drawGrey } from "./draw-grey.ts";
import { encodePicture } from "./encode-picture.ts";
import { MAX_SIDE, type PictureReply, type PictureRequest } from "./picture-messages.ts";
import { readCodec } from "./read-codec.ts";
import type { Raster } from "./shrink.ts";

const LONGEST_SIDE = 128;
const codecs = createCodecs(readCodec);

/** Makes the small picture of one frame, or says why there is none. Hostile input may make it take long. */
export async function makePicture(request: PictureRequest): Promise<PictureReply> {
  try {
    const { pixels: described, frame } = await readParts(request);
    const { drawing } = request;
    const pixels = drawing?.window ? inWindow(described, drawing.window) : described;
    assertDrawable(pixels);
    const decoded = await decodeFrame(frame, pixels, request.transferSyntaxUID, codecs);
    assertDrawable(decoded);
    const shown = drawing?.region ? cropFrame(decoded, drawing.region) : decoded;
    const { pixelAspect } = pixels;
    const box = drawing?.box ?? { width: LONGEST_SIDE, height: LONGEST_SIDE, enlarges: false };
    // The raster has twice the resolution of a small picture; the rest is resampled with a better filter.
    const side = Math.min(MAX_SIDE, 2 * Math.max(box.width, box.height));
    const raster = draw(shown, pixels, { side, isWindowed: drawing?.window !== undefined });
    const image = await encodePicture(raster, { box, pixelAspect, ...(drawing && { drawing }) });
    return { ok: true, image };
  } catch (error) {
    if (error instanceof NoPicture) return { ok: false, failure: error.failure, detail: error.detail };
    // The message is left out, since it may quote the file.
    const name = error instanceof Unreadable ? error.reason : error instanceof Error ? error.name : "";
    return { ok: false, failure: "undecodable", detail: name };
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
  if (pixels.palette) return drawPalette(frame, pixels.palette, side);
  return drawGrey(frame, pixels, side, isWindowed);
}

async function readParts({ source, frameIndex }: PictureRequest) {
  const { header, frame } = source.kind === "parts" ? source : await readSpooled(source);
  const open = parseFile(memorySource(header), { isInflated: true });
  const metadata = toDicomJson(open.reader, open.file.dataSet, (path) => path);
  return { pixels: readPixelModule(metadata, frameIndex), frame };
}

async function readSpooled({ path, headerBytes }: { path: string; headerBytes: number }) {
  const bytes = await Bun.file(path).bytes();
  return { header: bytes.subarray(0, headerBytes), frame: bytes.subarray(headerBytes) };
}
