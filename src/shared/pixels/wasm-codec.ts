import { type DecodedFrame, interleave, type Samples } from "./decoded-frame.ts";
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

/** The codecs, by what they decode. */
export type CodecName = "jpeg" | "jpegLs" | "jpeg2000" | "htJpeg2000";

type CodecModule = Record<string, new () => WasmDecoder>;

/** A factory of an Emscripten module with one decoder class. */
export type CodecFactory = (options: {
  wasmBinary: ArrayBuffer;
  print(): void;
  printErr(): void;
}) => Promise<CodecModule>;

/** A codec as its package brings it, with the bytes of its WASM. */
export interface CodecParts {
  factory: CodecFactory;
  wasmBinary: ArrayBuffer;
}

export interface Codecs {
  /**
   * Decodes one stream; the codec is kept for the next one unless it failed.
   * @throws {NoPicture} when decoding fails: some codecs throw numbers, some return no pixels
   */
  decode(name: CodecName, encoded: Uint8Array): Promise<DecodedFrame>;
  /** Starts a codec before its first stream is there. */
  warm(name: CodecName): void;
}

const DECODERS: Record<CodecName, string> = {
  jpeg: "JPEGDecoder",
  jpegLs: "JpegLSDecoder",
  jpeg2000: "J2KDecoder",
  htJpeg2000: "HTJ2KDecoder",
};

/** Copies decoded bytes out of the decoder's memory, which is freed. */
type CopyOut = (bytes: Uint8Array) => Uint8Array<ArrayBuffer>;

/** A larger frame is seldom followed by many of its size. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;

/** Copies into the same memory each time: a frame is overwritten when the next one is decoded. */
export function copyIntoOne(): CopyOut {
  let kept = new Uint8Array();
  return (bytes) => {
    if (bytes.length > MAX_KEPT_BYTES) return bytes.slice();
    if (kept.length !== bytes.length) kept = new Uint8Array(bytes.length);
    kept.set(bytes);
    return kept;
  };
}

/** Keeps one instance of each codec that was needed, because an instance takes time and 50 MB that are never freed. */
export function createCodecs(
  load: (name: CodecName) => Promise<CodecParts>,
  copyOut: CopyOut = (bytes) => bytes.slice(),
): Codecs {
  const instances = new Map<CodecName, Promise<CodecModule>>();
  const start = async (name: CodecName) => {
    const { factory, wasmBinary } = await load(name);
    return await factory({ wasmBinary, print() {}, printErr() {} });
  };
  const take = (name: CodecName): Promise<CodecModule> => {
    const instance = instances.get(name) ?? start(name);
    instances.set(name, instance);
    return instance;
  };
  return {
    async decode(name, encoded) {
      const instance = take(name);
      try {
        return decode((await instance)[DECODERS[name]], encoded, copyOut);
      } catch (error) {
        if (instances.get(name) === instance) instances.delete(name);
        throw error;
      }
    },
    warm: (name) => void take(name).catch(() => instances.delete(name)),
  };
}

function decode(
  Decoder: (new () => WasmDecoder) | undefined,
  encoded: Uint8Array,
  copyOut: CopyOut,
): DecodedFrame {
  if (!Decoder) throw new TypeError("a codec without its decoder");
  const decoder = new Decoder();
  try {
    decoder.getEncodedBuffer(encoded.length).set(encoded);
    decoder.decode();
    return takeFrame(decoder, copyOut);
  } catch (error) {
    if (error instanceof NoPicture) throw error;
    throw new NoPicture("undecodable", "the codec gives up");
  } finally {
    decoder.delete();
  }
}

function takeFrame(decoder: WasmDecoder, copyOut: CopyOut): DecodedFrame {
  const { width, height, bitsPerSample, componentCount, isSigned } = decoder.getFrameInfo();
  const bytes = decoder.getDecodedBuffer();
  const count = width * height * componentCount;
  if (count === 0 || bytes.length < count) throw new NoPicture("undecodable", "the codec gives no pixels");
  const { buffer } = copyOut(bytes);
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
