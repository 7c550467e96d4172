import { toDicomJson } from "../../../../shared/dicom/reading/json-model.ts";
import { memorySource } from "../../../../shared/dicom/reading/memory-source.ts";
import { Unreadable } from "../../../../shared/dicom/reading/unreadable.ts";
import { decodeFrame } from "../../../../shared/pixels/decode-frame.ts";
import type { DecodedFrame } from "../../../../shared/pixels/decoded-frame.ts";
import { NoPicture } from "../../../../shared/pixels/no-picture.ts";
import { assertDrawable } from "../../../../shared/pixels/pixel-bounds.ts";
import { type PixelModule, readPixelModule } from "../../../../shared/pixels/pixel-module.ts";
import { createCodecs } from "../../../../shared/pixels/wasm-codec.ts";
import { parseFile } from "../../../dicom/parse-file.ts";
import type { FrameRequest, NothingDecoded } from "./picture-messages.ts";
import { readCodec } from "./read-codec.ts";

const codecs = createCodecs(readCodec);

interface FrameParts {
  pixels: PixelModule;
  frame: Uint8Array;
}

/** What a request sent of the frame. @throws {Unreadable} */
export async function readParts({ source, frameIndex }: FrameRequest): Promise<FrameParts> {
  const { header, frame } = source.kind === "parts" ? source : await readSpooled(source);
  const open = parseFile(memorySource(header), { isInflated: true });
  const metadata = toDicomJson(open.reader, open.file.dataSet, (path) => path);
  return { pixels: readPixelModule(metadata, frameIndex), frame };
}

async function readSpooled({ path, headerBytes }: { path: string; headerBytes: number }) {
  const bytes = await Bun.file(path).bytes();
  return { header: bytes.subarray(0, headerBytes), frame: bytes.subarray(headerBytes) };
}

/** @throws {NoPicture} */
export async function decodeRequested(
  { pixels, frame }: FrameParts,
  { transferSyntaxUID }: FrameRequest,
): Promise<DecodedFrame> {
  assertDrawable(pixels);
  const decoded = await decodeFrame(frame, pixels, transferSyntaxUID, codecs);
  assertDrawable(decoded);
  return decoded;
}

/** The message of an error that is none of ours is left out, since it may quote the file. */
export function whyNot(error: unknown): NothingDecoded {
  if (error instanceof NoPicture) return { ok: false, failure: error.failure, detail: error.detail };
  const name = error instanceof Unreadable ? error.reason : error instanceof Error ? error.name : "";
  return { ok: false, failure: "undecodable", detail: name };
}
