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

/** What of an upload the tray needs, before it has its place there. */
export type MadeUpload = Pick<UploadJob, "upload" | "source" | "counts" | "form">;

/** How many files have to be packed. */
export function packedCount(planned: readonly PlannedUpload[]): number {
  return planned.reduce((sum, { zip, files }) => sum + (zip ? 0 : files.length), 0);
}

/**
 * Packs what does not go as it is, one after the other. If one can't be packed, the temporary files of all are removed.
 * @throws {UploadRefused} if a ZIP is gone; {@link PackingFailed}; the signal's reason when aborted
 */
export async function makeUploads(
  planned: readonly PlannedUpload[],
  options: MakeOptions,
): Promise<MadeUpload[]> {
  const made: MadeUpload[] = [];
  let before = 0;
  try {
    for (const one of planned) {
      const onPacked = (count: number) => options.onPacked(before + count);
      made.push(await makeUpload(one, { ...options, onPacked }));
      if (!one.zip) before += one.files.length;
    }
    options.signal.throwIfAborted();
  } catch (error) {
    await Promise.all(made.map(({ upload }) => upload.dispose()));
    throw error;
  }
  return made;
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
