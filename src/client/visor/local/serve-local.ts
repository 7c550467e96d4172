import { HeldFile } from "./held-file.ts";
import { type LocalArchive, openLocalArchive } from "./local-archive.ts";
import type { ReadSync } from "./local-bytes.ts";
import type { LocalFile, LocalReply, LocalRequest } from "./local-files.ts";

interface LocalServer {
  /** Undefined where a worker may read no file: the page is asked for the bytes then. */
  readSync: ReadSync | undefined;
  answer(reply: LocalReply, transfer?: Transferable[]): void;
}

const TELL_MS = 100;

/** Answers what the page asks about files of this device. */
export function serveLocal({ readSync, answer }: LocalServer): (request: LocalRequest) => void {
  const held: LocalFile[] = [];
  let opening: Promise<LocalArchive> | undefined;
  const read: ReadSync = (blob, offset, length) => {
    if (blob instanceof HeldFile) return blob.read(offset, length);
    if (!readSync) throw new DOMException("a file that is not held", "NotReadableError");
    return readSync(blob, offset, length);
  };

  async function open(files: LocalFile[]): Promise<LocalArchive> {
    let told = performance.now();
    const onRead = (read: number, total: number) => {
      if (performance.now() - told < TELL_MS && read > 1) return;
      told = performance.now();
      answer({ type: "read", files: read, total });
    };
    try {
      const archive = await openLocalArchive(files, read, { onRead });
      answer({ type: "opened", exams: archive.exams });
      return archive;
    } catch (error) {
      answer({ type: "failed", reason: nameOf(error) });
      throw error;
    }
  }

  async function reply(request: Extract<LocalRequest, { id: number }>): Promise<void> {
    try {
      const archive = await opening;
      if (!archive) return;
      if (request.type === "metadata") {
        answer({ type: "metadata", id: request.id, metadata: archive.metadata(request) });
        return;
      }
      if (request.type === "document") {
        const document = archive.document(request.sopInstanceUID);
        const transfer = document.kind === "report" ? [] : [document.bytes.buffer];
        answer({ type: "document", id: request.id, document }, transfer);
        return;
      }
      if (request.type === "bulkData") {
        const bytes = archive.bulkData(request.sopInstanceUID, request.range);
        answer({ type: "bulkData", id: request.id, bytes }, [bytes.buffer]);
        return;
      }
      const frame = archive.frame(request.sopInstanceUID, request.frameIndex);
      answer({ type: "frame", id: request.id, frame }, [frame.bytes.buffer]);
    } catch (error) {
      answer({ type: "failed", id: request.id, reason: nameOf(error) });
    }
  }

  return (request) => {
    if (request.type === "hold") held.push({ path: request.path, blob: new HeldFile(request.bytes) });
    else if (request.type !== "open") void reply(request);
    else if (readSync || request.files.length === 0) opening = open([...request.files, ...held]);
    else answer({ type: "unreadable" });
  };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}
