import type { PackableFile } from "../pack-folder/pack-folder.ts";
import type { PackedFolder } from "../pack-folder/packed-folder.ts";
import { type PreparedUpload, preparedOf } from "../prepare-upload.ts";
import type { UploadJob } from "../tray/upload-job.ts";
import type { PlannedUpload } from "./plan-uploads.ts";
import { ensureReadable } from "./read-source.ts";

export interface MakeOptions {
  /** Called with the number of files of all uploads that are packed. */
  onPacked: (count: number) => void;
  signal: AbortSignal;
  pack: (
    files: PackableFile[],
    options: { onPacked: (count: number) => void; signal: AbortSignal },
  ) => Promise<PackedFolder>;
}

/** The part of an upload that the tray needs, before the upload has its place there. */
export type MadeUpload = Pick<UploadJob, "upload" | "source" | "counts" | "form">;

/** How many files have to be packed. */
export function packedCount(planned: readonly PlannedUpload[]): number {
  return planned.reduce((sum, { zip, files }) => sum + (zip ? 0 : files.length), 0);
}

/**
 * Makes one upload after the other, and packs what does not go as it is. While the caller is at one upload the next is packed, and
 * none after that, so that two packs at most wait in the browser. The caller disposes of what it was given; if it stops, or if an
 * upload can't be made, nothing else is left behind.
 * @throws {UploadRefused} if a ZIP is gone; `PackingFailed`; the signal's reason when aborted
 */
export async function* makeUploads(
  planned: readonly PlannedUpload[],
  { onPacked, signal, pack }: MakeOptions,
): AsyncGenerator<MadeUpload, void, undefined> {
  const stopping = new AbortController();
  const options = { pack, signal: AbortSignal.any([signal, stopping.signal]) };
  let before = 0;
  const begin = (place: number): Promise<MadeUpload> | undefined => {
    const one = planned[place];
    if (!one) return undefined;
    const packedBefore = before;
    if (!one.zip) before += one.files.length;
    const making = makeUpload(one, { ...options, onPacked: (count) => onPacked(packedBefore + count) });
    making.catch(() => {}); // the failure is thrown where the upload is awaited
    return making;
  };
  let next = begin(0);
  try {
    for (let place = 1; next; place++) {
      const made = await next;
      next = undefined;
      if (signal.aborted) await made.upload.dispose();
      signal.throwIfAborted();
      next = begin(place);
      yield made;
    }
  } finally {
    stopping.abort(new DOMException("", "AbortError"));
    await next?.then(({ upload }) => upload.dispose()).catch(() => {});
  }
}

async function makeUpload(
  planned: PlannedUpload,
  { onPacked, signal, pack }: MakeOptions,
): Promise<MadeUpload> {
  const { zip, files, kind, name, form } = planned;
  const packed = zip ? undefined : await pack(files, { onPacked, signal });
  if (zip) await ensureReadable(zip);
  const upload: PreparedUpload = {
    ...preparedOf(
      { ...planned, contents: { studies: planned.exams, isComplete: planned.isComplete } },
      files,
    ),
    fileName: planned.fileName,
    ...(packed ?? { zip: zip ?? new Blob(), dispose: async () => {} }),
  };
  const counts = { total: planned.fileCount ?? upload.keptCount, kept: upload.keptCount };
  return { upload, form, counts, source: { kind, name, sizeBytes: upload.zip.size } };
}
