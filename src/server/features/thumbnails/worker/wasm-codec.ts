import type { DecodedFrame, Samples } from "./decoded-frame.ts";
import { interleave } from "./decoded-frame.ts";
import { NoPicture } from "./no-picture.ts";

/** What all the codecs' decoders have in common. Lives in WASM memory: `delete` frees it. */
export interface WasmDecoder {
  getEncodedBuffer(length: number): Uint8Array;
  decode(): void;
  getFrameInfo(): {
    width: number;
    height: number;
    bitsPerSample: number;
    componentCount: number;
    isSigned?: boolean;
  };
  getDecodedBuffer(): Uint8Array;
  /** JPEG-LS only: 0 where the components come one after the other. */
  getInterleaveMode?(): number;
  delete(): void;
}

export type CodecModule<Name extends string> = Record<Name, new () => WasmDecoder>;

export type CodecFactory<Name extends string> = (options: {
  wasmBinary: ArrayBuffer;
  print(): void;
  printErr(): void;
}) => Promise<CodecModule<Name>>;

/** Instantiates a codec; `path` is the file of its WASM. */
export async function loadCodec<Name extends string>(
  factory: CodecFactory<Name>,
  path: string,
): Promise<CodecModule<Name>> {
  const wasmBinary = await Bun.file(path).arrayBuffer();
  return factory({ wasmBinary, print() {}, printErr() {} });
}

/** @throws {NoPicture} where nothing comes of it: some codecs throw numbers, some give back no pixels */
export function decodeWith(Decoder: new () => WasmDecoder, encoded: Uint8Array): DecodedFrame {
  const decoder = new Decoder();
  try {
    decoder.getEncodedBuffer(encoded.length).set(encoded);
    decoder.decode();
    return takeFrame(decoder);
  } catch (error) {
    if (error instanceof NoPicture) throw error;
    throw new NoPicture("undecodable", "the codec gives up");
  } finally {
    decoder.delete();
  }
}

function takeFrame(decoder: WasmDecoder): DecodedFrame {
  const { width, height, bitsPerSample, componentCount, isSigned } = decoder.getFrameInfo();
  const bytes = decoder.getDecodedBuffer();
  const count = width * height * componentCount;
  if (count === 0 || bytes.length < count) throw new NoPicture("undecodable", "the codec gives no pixels");
  // A copy: the decoder's memory goes with it.
  const { buffer } = bytes.slice();
  const mixed = samplesOf(buffer, { isWide: bitsPerSample > 8, isSigned: isSigned === true });
  const isPlanar = componentCount > 1 && decoder.getInterleaveMode?.() === 0;
  const samples = isPlanar ? interleave(mixed, componentCount) : mixed;
  return { rows: height, columns: width, samplesPerPixel: componentCount, samples };
}

function samplesOf(
  buffer: ArrayBuffer,
  { isWide, isSigned }: { isWide: boolean; isSigned: boolean },
): Samples {
  if (isWide) return isSigned ? new Int16Array(buffer) : new Uint16Array(buffer);
  return isSigned ? new Int8Array(buffer) : new Uint8Array(buffer);
}
