import type { ManifestInstance, SeriesManifest } from "../../archive/manifest.ts";
import { locateFrame } from "../../dicom/cut-frame.ts";
import type { FrameTable } from "../../dicom/frame-table.ts";
import type { Bytes } from "../dicomweb/dicomweb.catalogue.ts";
import { readFrame } from "../dicomweb/frame-bytes.ts";
import type { SeriesReader } from "../dicomweb/series-reader.ts";
import type { PictureRequest } from "./worker/picture-messages.ts";

/** What one picture may take of memory, and of the line to the archive store. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;
const MAX_HEADER_BYTES = 16 * 1024 * 1024;

/** What of an instance a picture is made of; `too_large` where that is more than is read for it. */
export type MiddleFrame = PictureRequest | "too_large";

/** The middle one of the instances that have pixels; undefined where none has. */
export function middleInstance({ instances }: SeriesManifest): ManifestInstance | undefined {
  const images = instances.filter(({ frames }) => frames.kind !== "none" && frames.frameCount > 0);
  return images[Math.floor(images.length / 2)];
}

/** Reads the instance's middle frame, with what the file says before its pixel data. */
export async function readMiddleFrame(
  reader: SeriesReader,
  instance: ManifestInstance,
): Promise<MiddleFrame> {
  const { frames, transferSyntaxUID, sizeBytes } = instance;
  if (frames.kind === "none") throw new RangeError("an instance without pixels");
  const frameIndex = Math.floor(frames.frameCount / 2);
  if (frames.kind === "native" && frames.deflated) {
    if (sizeBytes > MAX_FRAME_BYTES) return "too_large";
    const file = await reader.read(instance, { offset: 0, length: sizeBytes });
    return { transferSyntaxUID, frameIndex, source: { kind: "file", file } };
  }
  const headerBytes = firstPixelByte(frames);
  const frameBytes = sizeOfFrame(frames, frameIndex);
  if (headerBytes > MAX_HEADER_BYTES || frameBytes > MAX_FRAME_BYTES) return "too_large";
  const header = await reader.read(instance, { offset: 0, length: headerBytes });
  const frame = await bytesOf(await readFrame(reader, instance, frameIndex));
  return { transferSyntaxUID, frameIndex, source: { kind: "parts", header, frame } };
}

function firstPixelByte(frames: Exclude<FrameTable, { kind: "none" }>): number {
  return frames.kind === "native" ? frames.offset : (frames.frames[0]?.[0]?.[0] ?? 0);
}

function sizeOfFrame(frames: FrameTable, frameIndex: number): number {
  return (locateFrame(frames, frameIndex)?.ranges ?? []).reduce((sum, [, length]) => sum + length, 0);
}

async function bytesOf(body: Bytes): Promise<Uint8Array> {
  return body instanceof Uint8Array ? body : await new Response(body).bytes();
}
