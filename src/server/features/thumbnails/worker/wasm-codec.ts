import type { DecodedFrame, Samples } from "./decoded-frame.ts";
import { interleave } from "./decoded-frame.ts";
import { NoPicture } from "./no-picture.ts";

/** The common interface of the codecs' decoders. A decoder is in WASM memory: `delete` frees it. */
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
  /** JPEG-LS only: 0 if the components follow one after the other. */
  getInterleaveMode?(): number;
  delete(): void;
}

export type CodecModule<Name extends string> = Record<Name, new () => WasmDecoder>;

export type CodecFactory<Name extends string> = (options: {
  wasmBinary: ArrayBuffer;
  print(): void;
  printErr(): void;
}) => Promise<CodecModule<Name>>;

/** Modules by the path of their WASM: each instance takes time and 50 MB that are never freed. */
const instances = new Map<string, CodecModule<string>>();

/** A codec as its package brings it. `path` is the file of its WASM. */
export interface WasmCodec<Name extends string> {
  factory: CodecFactory<Name>;
  path: string;
  decoderName: Name;
}

/**
 * Decodes one stream; the codec is kept for the next one unless it failed.
 * @throws {NoPicture} when decoding fails: some codecs throw numbers, some return no pixels
 */
export async function decodeWith<Name extends string>(
  { factory, path, decoderName }: WasmCodec<Name>,
  encoded: Uint8Array,
): Promise<DecodedFrame> {
  const instance = instances.get(path) ?? (await load(factory, path));
  instances.delete(path);
  const frame = decode(instance[decoderName], encoded);
  instances.set(path, instance);
  return frame;
}

async function load<Name extends string>(factory: CodecFactory<Name>, path: string) {
  const wasmBinary = await Bun.file(path).arrayBuffer();
  return await factory({ wasmBinary, print() {}, printErr() {} });
}

function decode(Decoder: (new () => WasmDecoder) | undefined, encoded: Uint8Array): DecodedFrame {
  if (!Decoder) throw new TypeError("a codec without its decoder");
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
  // A copy is returned, since the bytes are in the decoder's memory, which is freed.
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
