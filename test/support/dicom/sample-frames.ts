import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseFile } from "../../../src/server/dicom/parse-file.ts";
import { readInstance } from "../../../src/server/dicom/read-instance.ts";
import { memorySource } from "../../../src/shared/dicom/reading/memory-source.ts";
import { type PixelModule, readPixelModule } from "../../../src/shared/pixels/pixel-module.ts";
import { cutFrame } from "./cut-frame.ts";

/** The middle frame of a real file. */
export interface SampleFrame {
  file: string;
  transferSyntaxUID: string;
  frameIndex: number;
  pixels: PixelModule;
  bytes: Uint8Array;
}

/** The middle frame of the first file of each kind: syntax, colours, bits and signs. */
export function* sampleFrames(folder: string): Generator<SampleFrame> {
  const kinds = new Set<string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }).sort(byPath)) {
    if (!entry.isFile()) continue;
    const frame = middleFrame(join(entry.parentPath, entry.name));
    if (!frame) continue;
    const { samplesPerPixel, photometricInterpretation, bitsAllocated, bitsStored, isSigned, isPlanar } =
      frame.pixels;
    const shape = [samplesPerPixel, photometricInterpretation, bitsAllocated, bitsStored, isSigned, isPlanar];
    const kind = [frame.transferSyntaxUID, ...shape].join(" ");
    if (kinds.has(kind)) continue;
    kinds.add(kind);
    yield frame;
  }
}

function byPath(a: { parentPath: string; name: string }, b: { parentPath: string; name: string }): number {
  return join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1;
}

function middleFrame(file: string): SampleFrame | undefined {
  const given = readFileSync(file);
  const read = readInstance(memorySource(given));
  if (!read.ok || read.instance.frames.kind === "none") return undefined;
  const { frames, transferSyntaxUID, metadata } = read.instance;
  const frameIndex = Math.floor(frames.frameCount / 2);
  const isDeflated = frames.kind === "native" && frames.deflated === true;
  const bytes = cutFrame(isDeflated ? inflatedFile(given) : given, frames, frameIndex);
  if (!bytes) return undefined;
  return { file, transferSyntaxUID, frameIndex, pixels: readPixelModule(metadata, frameIndex), bytes };
}

/** The file with its data set inflated. */
export function inflatedFile(file: Uint8Array): Uint8Array {
  const { source } = parseFile(memorySource(file));
  const parts: Uint8Array[] = [];
  for (let at = 0; at < source.sizeBytes; at += parts.at(-1)?.length ?? 0) {
    parts.push(source.read(at, source.sizeBytes - at));
  }
  return Buffer.concat(parts);
}
