import type { Deps } from "../../deps.ts";
import type { FrameDecoder } from "../dicomweb/decoded/frame-decoder.ts";
import { readMiddleFrame } from "./read-middle-frame.ts";
import { withPatience } from "./with-patience.ts";

/** Decodes frames in the process that draws them. */
export function createFrameDecoder(deps: Pick<Deps, "series" | "scratch" | "pictures">): FrameDecoder {
  return {
    async decode({ instance, frameIndex, asDescribed }, signal) {
      const frame = await readMiddleFrame(deps, instance, frameIndex);
      if (frame === "too_large") return undefined;
      await using held = frame;
      const request = { ...held.request, native: { asDescribed } };
      const decoded = await withPatience(signal, (limit) => deps.pictures.decode(request, limit));
      return decoded.ok ? decoded.frame : undefined;
    },
  };
}
