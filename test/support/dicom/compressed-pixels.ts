import { encodeRleFrame } from "../../../scripts/demo/phantom/rle.ts";

/** A frame to compress: 8 bits a sample grey or colour, or 16 bits grey. */
export interface PixelFrame {
  width: number;
  height: number;
  bitsPerSample: 8 | 16;
  componentCount: 1 | 3;
  samples: Uint8Array;
}

interface WasmEncoder {
  getDecodedBuffer(info: object): Uint8Array;
  /** JPEG-LS only; 2: the colours of a pixel side by side. */
  setInterleaveMode?(mode: number): void;
  encode(): void;
  getEncodedBuffer(): Uint8Array;
  delete(): void;
}
type Codec = Record<string, new () => WasmEncoder>;
type Factory = (options: { wasmBinary: ArrayBuffer; print(): void; printErr(): void }) => Promise<Codec>;

/** Encoders by transfer syntax; their output goes into one fragment. */
export const encoders: Record<string, (frame: PixelFrame) => Promise<Uint8Array>> = {
  "1.2.840.10008.1.2.5": async ({ width, height, bitsPerSample, componentCount, samples }) =>
    encodeRleFrame(samples, {
      rows: height,
      columns: width,
      samplesPerPixel: componentCount,
      bytesPerSample: bitsPerSample / 8,
    }),
  "1.2.840.10008.1.2.4.50": (frame) => encodeWith("libjpeg-turbo-8bit", "JPEGEncoder", frame),
  "1.2.840.10008.1.2.4.80": (frame) => encodeWith("charls", "JpegLSEncoder", frame),
  "1.2.840.10008.1.2.4.90": (frame) => encodeWith("openjpeg", "J2KEncoder", frame),
  "1.2.840.10008.1.2.4.201": (frame) => encodeWith("openjph", "HTJ2KEncoder", frame),
};

async function encodeWith(codec: string, encoderName: string, frame: PixelFrame): Promise<Uint8Array> {
  const name = `@cornerstonejs/codec-${codec}`;
  const factory: Factory = (await import(`${name}/wasmjs`)).default;
  const wasmBinary = await Bun.file(Bun.resolveSync(`${name}/wasm`, import.meta.dir)).arrayBuffer();
  const Encoder = (await factory({ wasmBinary, print() {}, printErr() {} }))[encoderName];
  if (!Encoder) throw new Error(`${name} has no ${encoderName}`);
  const encoder = new Encoder();
  const { samples, ...info } = frame;
  // Without the transform, codec-openjph writes colours that only itself reads.
  const isUsingColorTransform = codec === "openjph" && info.componentCount === 3;
  encoder.getDecodedBuffer({ ...info, isSigned: false, isUsingColorTransform }).set(samples);
  if (info.componentCount > 1) encoder.setInterleaveMode?.(2);
  encoder.encode();
  const encoded = Uint8Array.from(encoder.getEncodedBuffer());
  encoder.delete();
  return encoded;
}
