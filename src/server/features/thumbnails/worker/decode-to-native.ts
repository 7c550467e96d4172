import { writeFile } from "node:fs/promises";
import { errnoOf } from "../../../storage/disk/fs-failure.ts";
import { decodeRequested, readParts, whyNot } from "./decode-requested.ts";
import { assertNative, nativeFrame } from "./native-frame.ts";
import type { NativeReply, NativeRequest } from "./picture-messages.ts";

/** Larger frames are passed in a file: the server would have a message in memory twice. */
const MAX_SENT_BYTES = 4 * 1024 * 1024;

/** Writes a file; returns the code of the system's error if it can't. */
async function writeTo(path: string, bytes: Uint8Array): Promise<string | undefined> {
  try {
    await writeFile(path, bytes, { mode: 0o600 });
    return undefined;
  } catch (error) {
    return errnoOf(error) ?? "EIO";
  }
}

/** Decodes one frame to native pixel data, or says why it can't. Hostile input may make it take long. */
export async function decodeToNative(request: NativeRequest): Promise<NativeReply> {
  try {
    const parts = await readParts(request);
    assertNative(parts.pixels);
    const decoded = await decodeRequested(parts, request);
    const { asDescribed, path } = request.native;
    const { bytes, photometricInterpretation } = nativeFrame(decoded, parts.pixels, asDescribed);
    const isSent = bytes.length <= MAX_SENT_BYTES;
    if (!isSent) {
      const code = await writeTo(path, bytes);
      if (code) return { ok: false, failure: "unwritten", code };
    }
    const sent = isSent ? bytes : undefined;
    return { ok: true, frame: { photometricInterpretation, sizeBytes: bytes.length, sent } };
  } catch (error) {
    return whyNot(error);
  }
}
