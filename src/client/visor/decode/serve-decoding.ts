import { decodeFrame } from "../../../shared/pixels/decode-frame.ts";
import { NoPicture } from "../../../shared/pixels/no-picture.ts";
import { prepareFrame } from "../../../shared/pixels/prepare-frame.ts";
import {
  type CodecFactory,
  type CodecName,
  copyIntoOne,
  createCodecs,
} from "../../../shared/pixels/wasm-codec.ts";
import { createCounterweight } from "../core/counterweight.ts";
import { pixelsOf } from "../core/frame-cache.ts";
import type { DecodeReply, DecodeRequest } from "./decode-messages.ts";

/** By then the browser has compiled what each frame runs through. */
const PRACTISED_ROUNDS = 40;

/**
 * Answers frames in a worker.
 * @param factory the one codec of this worker, if it has one
 * @param sample a small stream that a worker without a frame practises on: the browser compiles a codec when it is first used, which
 *   takes ten times as long as a frame
 */
export function serveDecoding(factory?: CodecFactory, sample?: Uint8Array): void {
  const counterweight = createCounterweight();
  let wasmBinary: ArrayBuffer | undefined;
  const codecs = createCodecs(async () => {
    if (!factory || !wasmBinary) throw new NoPicture("unsupported", "no codec here");
    return { factory, wasmBinary };
  }, copyIntoOne());

  async function practise(name: CodecName, stream: Uint8Array): Promise<void> {
    try {
      for (let round = 0; round < PRACTISED_ROUNDS; round++) {
        await codecs.decode(name, stream);
        // A frame that has come meanwhile goes first.
        await new Promise((resolve) => setTimeout(resolve));
      }
    } catch {
      // A codec that does not start says so of the first frame.
    }
  }

  async function decode(request: DecodeRequest & { type: "frame" }): Promise<DecodeReply> {
    try {
      const { bytes, pixels, transferSyntaxUID, into } = request;
      const decoded = await decodeFrame(bytes, pixels, transferSyntaxUID, codecs);
      return { ok: true, frame: prepareFrame(decoded, pixels, into) };
    } catch (error) {
      if (error instanceof NoPicture) return { ok: false, failure: error.failure, detail: error.detail };
      return { ok: false, failure: "undecodable", detail: error instanceof Error ? error.name : "" };
    }
  }

  self.addEventListener("message", ({ data }: MessageEvent<DecodeRequest>) => {
    if (data.type === "codec") {
      wasmBinary = data.wasmBinary;
      if (data.isAhead && sample) void practise(data.name, sample);
      else codecs.warm(data.name);
      return;
    }
    counterweight.add();
    void decode(data).then((reply) => {
      const pixels = reply.ok ? [pixelsOf(reply.frame).buffer] : [];
      const lent = data.isLent ? data.bytes.buffer : undefined;
      self.postMessage({ ...reply, lent }, { transfer: lent ? [...pixels, lent] : pixels });
    });
  });
}
