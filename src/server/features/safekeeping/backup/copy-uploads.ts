import { join } from "node:path";
import { isUnreadable } from "../../../storage/disk/fs-failure.ts";
import { BytesLost } from "../../ingest/resumable/arriving-bytes.ts";
import { type ArrivingPlaces, copyUntaken, readUntaken } from "../../ingest/resumable/copy-untaken.ts";
import type { UntakenUpload } from "../../ingest/resumable/untaken-resumables.repo.ts";
import type { BackupFolder } from "../backup-folder.ts";
import type { BackupFile } from "../backup-manifest.ts";
import { hashFile, placeFile, type Written, writeHashed } from "../hashed-copy.ts";

/** What was copied of uploads that no study shows yet. */
export class UploadTally {
  uploads = 0;
  bytes = 0;
  /** Ids of uploads whose bytes are gone or can't be read. */
  lost: string[] = [];
}

/** Copies every upload. Each backup makes a copy of its own, since a DICOM sender may have stored more by then. */
export async function* copyUploads(
  folder: BackupFolder,
  untaken: AsyncIterable<UntakenUpload>,
  tally: UploadTally,
  { places, signal }: { places: ArrivingPlaces; signal: AbortSignal },
): AsyncGenerator<BackupFile> {
  for await (const upload of untaken) {
    const written = await copyUpload(folder, upload, places, signal);
    if (!written) {
      tally.lost.push(upload.id);
      continue;
    }
    tally.uploads++;
    tally.bytes += written.sizeBytes;
    yield { path: folder.objectPath(written.sha256), kind: "upload", ...written, uploadId: upload.id };
  }
}

/** `undefined` if the bytes are gone, or the disk can't read them. */
async function copyUpload(
  folder: BackupFolder,
  upload: UntakenUpload,
  places: ArrivingPlaces,
  signal: AbortSignal,
): Promise<Written | undefined> {
  try {
    return await placeFile(folder.unfinishedObjects, async (path) => {
      const result =
        places.store.kind === "disk"
          ? await copyUntaken(places, upload, path, signal).then(() => hashFile(path, signal))
          : await writeHashed(readUntaken(places, upload), path, signal);
      return { target: join(folder.root, folder.objectPath(result.sha256)), result };
    });
  } catch (error) {
    if (error instanceof BytesLost || isUnreadable(error)) return undefined;
    throw error;
  }
}
