import type { Deps } from "../../deps.ts";
import type { ScratchPlace } from "../../processes/scratch.ts";
import type { FrameDecoder, NativeFrame } from "../dicomweb/decoded/frame-decoder.ts";
import { withPatience } from "../dicomweb/turns/with-patience.ts";
import { readPictureInput } from "./read-picture-input.ts";
import type { AnsweredNative } from "./worker/picture-messages.ts";

/** Decodes frames in a process of the one that draws them. */
export function createFrameDecoder(deps: Pick<Deps, "series" | "scratch" | "pictures">): FrameDecoder {
  return {
    async decode({ instance, frameIndex, asDescribed }, signal) {
      const frame = await readPictureInput(deps, instance, frameIndex);
      if (frame === "too_large") return undefined;
      await using held = frame;
      const place = deps.scratch.place();
      const request = { ...held.request, native: { asDescribed, path: place.path } };
      try {
        const decoded = await withPatience(signal, (limit) => deps.pictures.decode(request, limit));
        if (decoded.ok) return frameAt(place, decoded.frame);
      } catch (error) {
        await place[Symbol.asyncDispose]();
        throw error;
      }
      await place[Symbol.asyncDispose]();
      return undefined;
    },
  };
}

/** Nothing is at the place of a frame that was sent. */
function frameAt(place: ScratchPlace, { sent, ...frame }: AnsweredNative): NativeFrame {
  return {
    ...frame,
    bytes: sent ?? Bun.file(place.path),
    [Symbol.asyncDispose]: async () => {
      if (!sent) await place[Symbol.asyncDispose]();
    },
  };
}
