import { type LocalArchive, openLocalArchive } from "./local-archive.ts";
import type { LocalFile, LocalReply, LocalRequest } from "./local-files.ts";

/** Exists in workers only, which the client's types do not know. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

const TELL_MS = 100;

const reader = new FileReaderSync();
const readSync = (blob: Blob, offset: number, length: number) =>
  new Uint8Array(reader.readAsArrayBuffer(blob.slice(offset, offset + length)));
const answer = (reply: LocalReply, transfer: Transferable[] = []) => self.postMessage(reply, { transfer });
let opening: Promise<LocalArchive> | undefined;

answer({ type: "loaded" });

self.addEventListener("message", ({ data }: MessageEvent<LocalRequest>) => {
  if (data.type === "open") opening = open(data.files);
  else void reply(data);
});

async function open(files: LocalFile[]): Promise<LocalArchive> {
  let told = performance.now();
  const onRead = (read: number, total: number) => {
    if (performance.now() - told < TELL_MS && read > 1) return;
    told = performance.now();
    answer({ type: "read", files: read, total });
  };
  try {
    const archive = await openLocalArchive(files, readSync, { onRead });
    answer({ type: "opened", exams: archive.exams });
    return archive;
  } catch (error) {
    answer({ type: "failed", reason: nameOf(error) });
    throw error;
  }
}

async function reply(request: Exclude<LocalRequest, { type: "open" }>): Promise<void> {
  try {
    const archive = await opening;
    if (!archive) return;
    if (request.type === "metadata") {
      answer({ type: "metadata", id: request.id, metadata: archive.metadata(request) });
      return;
    }
    const frame = archive.frame(request.sopInstanceUID, request.frameIndex);
    answer({ type: "frame", id: request.id, frame }, [frame.bytes.buffer]);
  } catch (error) {
    answer({ type: "failed", id: request.id, reason: nameOf(error) });
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}
