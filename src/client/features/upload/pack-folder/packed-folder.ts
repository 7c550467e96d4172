import { randomId } from "../../../runtime/random-id.ts";
import { workerAnswer } from "../../../runtime/worker-answer.ts";
import type { PackableFile } from "./pack-folder.ts";
import type { PackReport, PackRequest } from "./pack-messages.ts";
import { canKeepPackedFiles, holdPackedFile, removePackedFile } from "./packed-files.ts";

/** A folder as one ZIP, on disk if the browser allows it. */
export interface PackedFolder {
  zip: Blob;
  /** Removes the temporary file. */
  dispose(): Promise<void>;
}

/** The packer failed: a file vanished, or there was no room. */
export class PackingFailed extends Error {
  override name = "PackingFailed";
  /** @param isFull whether the browser had no more room, rather than a file vanished or changed */
  constructor(
    message: string,
    readonly isFull = false,
  ) {
    super(message);
  }
}

/** Packs in a worker, so that the page stays responsive. Aborting stops the worker and removes its file. */
export async function packInWorker(
  files: PackableFile[],
  options: { onPacked: (count: number) => void; signal: AbortSignal },
): Promise<PackedFolder> {
  options.signal.throwIfAborted();
  const name = `${randomId()}.zip`;
  const isKept = await canKeepPackedFiles();
  const release = isKept ? holdPackedFile(name) : undefined;
  const dispose = async () => {
    if (isKept) await removePackedFile(name).catch(ignoreMissing);
    release?.();
  };
  try {
    return { zip: await runWorker({ name, files }, options), dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function runWorker(
  request: PackRequest,
  { onPacked, signal }: { onPacked: (count: number) => void; signal: AbortSignal },
): Promise<Blob> {
  const worker = new Worker(new URL("./pack-folder.worker.ts", import.meta.url), { type: "module" });
  return await workerAnswer<PackReport, Blob>(worker, request, {
    take(report) {
      if (report.type === "done") return report.zip;
      if (report.type !== "packed") throw new PackingFailed(report.message, report.isFull);
      onPacked(report.count);
    },
    failed: (message) => new PackingFailed(message),
    signal,
  });
}

/** A folder packed into a Blob left no file. If the worker still holds its file, the next start sweeps it. */
function ignoreMissing(error: unknown): void {
  const names = ["NotFoundError", "NoModificationAllowedError"];
  if (!(error instanceof DOMException && names.includes(error.name))) throw error;
}
