import { rm, writeFile } from "node:fs/promises";
import { decodeRequested, readParts, whyNot } from "./decode-requested.ts";
import { assertNative, nativeFrame } from "./native-frame.ts";
import type { NativeReply, NativeRequest } from "./picture-messages.ts";

/** Larger frames are passed in a file: the server would have a message in memory twice. */
const MAX_SENT_BYTES = 4 * 1024 * 1024;

/** Decodes one frame to native pixel data, or says why it can't. Hostile input may make it take long. */
export async function decodeToNative(request: NativeRequest): Promise<NativeReply> {
  try {
    const parts = await readParts(request);
    assertNative(parts.pixels);
    const decoded = await decodeRequested(parts, request);
    const { asDescribed, path } = request.native;
    const { bytes, photometricInterpretation } = nativeFrame(decoded, parts.pixels, asDescribed);
    const isInFile = bytes.length > MAX_SENT_BYTES && (await isWritten(path, bytes));
    const sent = isInFile ? undefined : bytes;
    return { ok: true, frame: { photometricInterpretation, sizeBytes: bytes.length, sent } };
  } catch (error) {
    return whyNot(error);
  }
}

/** Whether the disk took them. If not, what was written of them is gone: what is looked at needs no room on the disk. */
async function isWritten(path: string, bytes: Uint8Array): Promise<boolean> {
  try {
    await writeFile(path, bytes, { mode: 0o600 });
    return true;
  } catch {
    await rm(path, { force: true }).catch(() => undefined);
    return false;
  }
}
