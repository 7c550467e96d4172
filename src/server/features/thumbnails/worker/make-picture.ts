import { decodeFrame } from "../../../../shared/pixels/decode-frame.ts";
import type { DecodedFrame } from "../../../../shared/pixels/decoded-frame.ts";
import { NoPicture } from "../../../../shared/pixels/no-picture.ts";
import { assertDrawable } from "../../../../shared/pixels/pixel-bounds.ts";
import { type PixelModule, readPixelModule } from "../../../../shared/pixels/pixel-module.ts";
import { createCodecs } from "../../../../shared/pixels/wasm-codec.ts";
import { memorySource } from "../../../dicom/byte-source.ts";
import { toDicomJson } from "../../../dicom/json-model.ts";
import { parseFile } from "../../../dicom/parse-file.ts";
import { Unreadable } from "../../../dicom/unreadable.ts";
import { drawColour, drawPalette } from "./draw-colour.ts";
import { drawGrey } from "./draw-grey.ts";
import { encodePicture } from "./encode-picture.ts";
import type { PictureReply, PictureRequest } from "./picture-messages.ts";
import { readCodec } from "./read-codec.ts";
import type { Raster } from "./shrink.ts";

const LONGEST_SIDE = 128;
const codecs = createCodecs(readCodec);

/** Makes the small picture of one frame, or says why there is none. Hostile input may make it take long. */
export async function makePicture(request: PictureRequest): Promise<PictureReply> {
  try {
    const { pixels, frame } = await readParts(request);
    assertDrawable(pixels);
    const decoded = await decodeFrame(frame, pixels, request.transferSyntaxUID, codecs);
    assertDrawable(decoded);
    const { pixelAspect } = pixels;
    const image = await encodePicture(draw(decoded, pixels), { longestSide: LONGEST_SIDE, pixelAspect });
    return { ok: true, image };
  } catch (error) {
    if (error instanceof NoPicture) return { ok: false, failure: error.failure, detail: error.detail };
    // The message is left out, since it may quote the file.
    const name = error instanceof Unreadable ? error.reason : error instanceof Error ? error.name : "";
    return { ok: false, failure: "undecodable", detail: name };
  }
}

function draw(frame: DecodedFrame, pixels: PixelModule): Raster {
  // The raster has twice the picture's resolution; the rest is resampled with a better filter.
  const side = 2 * LONGEST_SIDE;
  if (frame.samplesPerPixel >= 3) return drawColour(frame, pixels, side);
  if (pixels.palette) return drawPalette(frame, pixels.palette, side);
  return drawGrey(frame, pixels, side);
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
