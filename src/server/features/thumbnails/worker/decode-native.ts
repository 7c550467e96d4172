import { decodeRequested, readParts, whyNot } from "./decode-requested.ts";
import { assertNative, nativeFrame } from "./native-frame.ts";
import type { NativeReply, NativeRequest } from "./picture-messages.ts";

/** Decodes one frame to native pixel data, or says why it can't. Hostile input may make it take long. */
export async function decodeNative(request: NativeRequest): Promise<NativeReply> {
  try {
    const parts = await readParts(request);
    assertNative(parts.pixels);
    const decoded = await decodeRequested(parts, request);
    return { ok: true, frame: nativeFrame(decoded, parts.pixels, request.native.asDescribed) };
  } catch (error) {
    return whyNot(error);
  }
}
