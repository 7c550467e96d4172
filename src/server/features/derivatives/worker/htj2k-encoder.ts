import type { Samples } from "../../../../shared/pixels/decoded-frame.ts";
import { DECOMPOSITIONS } from "../../../holdings/derivatives/derivative-index.ts";
import { loadOnce } from "../../../runtime/load-once.ts";
import { readCodec } from "../../thumbnails/worker/read-codec.ts";

/** The samples of a frame as a code stream holds them; three colours as luminance and differences (YBR_RCT). */
export interface Raster {
  rows: number;
  columns: number;
  samplesPerPixel: number;
  /** `[rows, columns, samplesPerPixel]` */
  samples: Samples;
  /** The precision of each sample. */
  bits: number;
  isSigned: boolean;
}

/** Encodes without loss. Hostile samples may make it take long. */
export type Encode = (raster: Raster) => Promise<Uint8Array>;

/** The encoder of codec-openjph, in WASM memory: `delete` frees it. */
interface WasmEncoder {
  getDecodedBuffer(frame: {
    width: number;
    height: number;
    bitsPerSample: number;
    componentCount: number;
    isSigned: boolean;
    isUsingColorTransform: boolean;
  }): Uint8Array;
  setQuality(isReversible: boolean, quantizationStep: number): void;
  setProgressionOrder(order: number): void;
  setDecompositions(count: number): void;
  setTLMMarker(isWritten: boolean): void;
  setTilePartDivisionsAtResolutions(isDivided: boolean): void;
  encode(): void;
  getEncodedBuffer(): Uint8Array;
  delete(): void;
}

type EncoderModule = { HTJ2KEncoder: new () => WasmEncoder };

/** Resolution, position, component, layer: a prefix of the code stream is a smaller picture (ITU-T T.800 §B.12). */
const RPCL = 2;

/** Loads the encoder when it is first needed and keeps it, because an instance takes memory that is never freed. */
export function createEncoder(): Encode {
  const load = loadOnce(async () => {
    const { factory, wasmBinary } = await readCodec("htJpeg2000");
    return (await factory({ wasmBinary, print() {}, printErr() {} })) as unknown as EncoderModule;
  });
  return async (raster) => {
    const { HTJ2KEncoder } = await load();
    const encoder = new HTJ2KEncoder();
    try {
      return encode(encoder, raster);
    } finally {
      encoder.delete();
    }
  };
}

function encode(encoder: WasmEncoder, raster: Raster): Uint8Array {
  const { rows, columns, samplesPerPixel, samples, bits, isSigned } = raster;
  const input = encoder.getDecodedBuffer({
    width: columns,
    height: rows,
    bitsPerSample: bits,
    componentCount: samplesPerPixel,
    isSigned,
    isUsingColorTransform: samplesPerPixel === 3,
  });
  input.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
  encoder.setQuality(true, 0);
  encoder.setProgressionOrder(RPCL);
  encoder.setDecompositions(DECOMPOSITIONS);
  // With them, what a prefix contains can be read from its first bytes.
  encoder.setTLMMarker(true);
  encoder.setTilePartDivisionsAtResolutions(true);
  encoder.encode();
  // A copy is returned, since the bytes are in the encoder's memory, which is freed.
  return encoder.getEncodedBuffer().slice();
}
