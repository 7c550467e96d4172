import { rm, stat, truncate } from "node:fs/promises";
import { undoInPlace } from "../../../archive/undo-in-place.ts";
import { copy, statFile } from "../../../storage/disk/durable-file.ts";
import { isAbsent } from "../../../storage/disk/fs-failure.ts";
import type { ObjectStore } from "../../../storage/object-store.ts";
import { BytesLost } from "./arriving-bytes.ts";
import { readPart } from "./arriving-parts.ts";
import { arrivingPaths } from "./arriving-paths.ts";
import type { UntakenUpload } from "./untaken-resumables.repo.ts";

/** Where uploads arrive: files below a folder of the disk, or objects of an S3 store. */
export interface ArrivingPlaces {
  arrivingDir: string;
  store: ObjectStore;
}

/**
 * The bytes of an upload as its sender stored them, though it may be taken in meanwhile. While deletions are held back, they stay.
 * @throws {BytesLost} if they are gone
 */
export async function* readUntaken(
  { store }: Pick<ArrivingPlaces, "store">,
  { sizeBytes, parts }: UntakenUpload,
): AsyncGenerator<Uint8Array> {
  let read = 0;
  for (const part of parts) {
    yield await readPart(store, part);
    read += part.sizeBytes;
  }
  if (read !== sizeBytes) throw new BytesLost("the last part is missing");
}

const MAX_LOOKS = 3;

/**
 * Does the same as {@link readUntaken} with an upload that is a file, of which it makes the new file `target`. `target` with the suffix
 * `.undo` is in use meanwhile.
 * @throws {BytesLost} if they are gone
 */
export async function copyUntaken(
  { arrivingDir }: Pick<ArrivingPlaces, "arrivingDir">,
  { id, sizeBytes }: UntakenUpload,
  target: string,
  signal: AbortSignal,
): Promise<void> {
  const { folder, bytes, undo } = arrivingPaths(arrivingDir, id);
  const kept = `${target}.undo`;
  for (let look = 1; ; look++) {
    const changedAt = await changeOf(folder);
    // Whatever is overwritten meanwhile was saved before; a next run that takes it back removes what was saved.
    const wasOverwritten = await copyIfThere(undo, kept, signal);
    if (!(await copyIfThere(bytes, target, signal))) throw new BytesLost("the file is gone");
    if (wasOverwritten || (await copyIfThere(undo, kept, signal))) break;
    if ((await changeOf(folder)) === changedAt) break;
    // A run began and ended meanwhile, and another one took back what it had overwritten.
    if (look === MAX_LOOKS) throw new BytesLost("it changes all the time");
    await rm(target);
  }
  await undoInPlace(target, kept);
  if (((await statFile(target))?.size ?? 0) < sizeBytes) throw new BytesLost("the file is too short");
  await truncate(target, sizeBytes);
}

/** When a file was last added to or removed from a folder; undefined if it is gone. */
async function changeOf(folder: string): Promise<number | undefined> {
  try {
    return (await stat(folder)).mtimeMs;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

async function copyIfThere(source: string, target: string, signal: AbortSignal): Promise<boolean> {
  try {
    await copy(source, target, signal);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}
