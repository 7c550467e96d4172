import { toDicomJson } from "../../../../shared/dicom/reading/json-model.ts";
import { memorySource } from "../../../../shared/dicom/reading/memory-source.ts";
import { Unreadable } from "../../../../shared/dicom/reading/unreadable.ts";
import { NoPicture } from "../../../../shared/pixels/no-picture.ts";
import { readPixelModule } from "../../../../shared/pixels/pixel-module.ts";
import { createCodecs } from "../../../../shared/pixels/wasm-codec.ts";
import { parseFile } from "../../../dicom/parse-file.ts";
import { readCodec } from "../../thumbnails/worker/read-codec.ts";
import type { EncodeReply, EncodeRequest, SampleFormat, SentBytes } from "./encode-messages.ts";
import { createEncoder } from "./htj2k-encoder.ts";
import { NotProven, proveFrame } from "./prove-frame.ts";

const codec = { encode: createEncoder(), codecs: createCodecs(readCodec) };

/** Answers one request, or says why it can't. Hostile input may make it take long. */
export async function answerEncode(request: EncodeRequest): Promise<EncodeReply> {
  try {
    if (request.kind === "describe") return { ok: true, format: sampleFormat(await bytesOf(request.header)) };
    return { ok: true, ...(await proveFrame(await bytesOf(request.frame), request, codec)) };
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  }
}

async function bytesOf(sent: SentBytes): Promise<Uint8Array> {
  return sent instanceof Uint8Array ? sent : await Bun.file(sent.path).bytes();
}

function sampleFormat(header: Uint8Array): SampleFormat {
  const open = parseFile(memorySource(header), { isInflated: true });
  const metadata = toDicomJson(open.reader, open.file.dataSet, (path) => path);
  const pixels = readPixelModule(metadata, 0);
  const { rows, columns, samplesPerPixel, photometricInterpretation, pixelDataAs } = pixels;
  const { bitsAllocated, bitsStored, highBit, isSigned, isPlanar } = pixels;
  return {
    rows,
    columns,
    samplesPerPixel,
    photometricInterpretation,
    pixelDataAs,
    bitsAllocated,
    bitsStored,
    highBit,
    isSigned,
    isPlanar,
  };
}

/** The message of any other error is left out, since it may quote the file. */
function reasonOf(error: unknown): string {
  if (error instanceof NotProven) return error.message;
  if (error instanceof NoPicture) return error.detail;
  if (error instanceof Unreadable) return error.reason;
  return error instanceof Error ? error.name : "the codec gives up";
}
