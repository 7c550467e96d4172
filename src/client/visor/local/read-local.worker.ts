import type { ReadSync } from "./local-bytes.ts";
import type { LocalReply, LocalRequest } from "./local-files.ts";
import { serveLocal } from "./serve-local.ts";

/** Exists in workers only, which the client's types do not know. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

const reader = new FileReaderSync();
const readSync: ReadSync = (blob, offset, length) =>
  new Uint8Array(reader.readAsArrayBuffer(blob.slice(offset, offset + length)));
const answer = (reply: LocalReply, transfer: Transferable[] = []) => self.postMessage(reply, { transfer });
const serve = serveLocal({ answer, readSync: mayRead() ? readSync : undefined });

answer({ type: "loaded" });

self.addEventListener("message", ({ data }: MessageEvent<LocalRequest>) => serve(data));

/** WebKit refuses a worker of a page at `file:` every Blob, its own too. */
function mayRead(): boolean {
  try {
    return readSync(new Blob(["a"]), 0, 1).length === 1;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}
