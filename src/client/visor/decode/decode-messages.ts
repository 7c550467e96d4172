import type { PictureFailure } from "../../../shared/pixels/no-picture.ts";
import type { PixelModule } from "../../../shared/pixels/pixel-module.ts";
import type { PreparedFrame } from "../../../shared/pixels/prepare-frame.ts";
import type { CodecName } from "../../../shared/pixels/wasm-codec.ts";

/** To a worker: its codec's WebAssembly once, then one frame at a time. */
export type DecodeRequest =
  | {
      type: "codec";
      name: CodecName;
      wasmBinary: ArrayBuffer;
      /** Whether no frame is on its way yet, so that there is time to practise. */
      isAhead: boolean;
    }
  | {
      type: "frame";
      bytes: Uint8Array<ArrayBuffer>;
      transferSyntaxUID: string;
      pixels: PixelModule;
      /** Whether the memory of `bytes` comes back with the answer. */
      isLent: boolean;
      /** Memory for the decoded frame. */
      into: ArrayBuffer | undefined;
    };

export type DecodeReply = { lent?: ArrayBuffer | undefined } & (
  | { ok: true; frame: PreparedFrame }
  | { ok: false; failure: PictureFailure; detail: string }
);
