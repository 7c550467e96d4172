import { rm } from "node:fs/promises";
import { join } from "node:path";
import { findBytes, isElsewhere, type ObjectSources } from "../../../holdings/object-sources.ts";
import { OperatorError } from "../../../runtime/operator-error.ts";
import { statFile } from "../../../storage/disk/durable-file.ts";
import { isAbsent, isUnreadable } from "../../../storage/disk/fs-failure.ts";
import { ObjectNotFound } from "../../../storage/object-store.ts";
import type { BackupFolder } from "../backup-folder.ts";
import type { BackupFile } from "../backup-manifest.ts";
import { copyHashed, hashFile, placeFile, type Written, writeHashed } from "../hashed-copy.ts";
import type { NamedObject } from "../named-objects.repo.ts";
import type { AwaitedTransfers } from "./awaited-transfers.ts";

/** Some bytes are only on another node, which must run to transfer them to the store. */
export class StagedElsewhere extends OperatorError {
  override name = "StagedElsewhere";
  constructor(nodeId: string) {
    super(
      `Bytes lie on node ${nodeId} only and are on their way to the store: start that node, or back up when the transfer is done.`,
    );
  }
}

/** How many objects are copied at once: most are small, and each waits for the disk. */
const COPIES_AT_ONCE = 8;
/** How often an object is looked for, since it may move to the store meanwhile. */
const MAX_LOOKS = 2;

/** Counts and findings of copying objects. */
export class CopyTally {
  objects = 0;
  bytes = 0;
  /** Bytes of the objects that were new to the folder. */
  copiedBytes = 0;
  /** Keys whose bytes do not match the database. */
  changed: string[] = [];
  /** Keys that no store holds, or of which the disk can't read all. */
  missing: string[] = [];
  /** Files of the backup that had changed since they were copied, and were copied again. */
  healed: string[] = [];
}

/** How to take objects into a backup. */
export interface Copying {
  sources: ObjectSources;
  /** Whether to read an object again that the folder has already. */
  isReread(sha256: string): boolean;
  transfers: Pick<AwaitedTransfers, "wait">;
  signal: AbortSignal;
}

/**
 * Copies every object that is not in the folder yet, or no longer as it was, and yields the files in the order of `named`. If an object's
 * bytes have changed, its copy has the present bytes and is named by their hash.
 * @throws {StagedElsewhere}
 */
export async function* copyObjects(
  folder: BackupFolder,
  named: AsyncIterable<NamedObject>,
  tally: CopyTally,
  copying: Copying,
): AsyncGenerator<BackupFile> {
  const copies: Promise<BackupFile | undefined>[] = [];
  try {
    for await (const object of named) {
      copying.signal.throwIfAborted();
      const copy = copyObject(folder, object, tally, copying);
      copy.catch(() => undefined); // thrown when its turn comes
      copies.push(copy);
      if (copies.length >= COPIES_AT_ONCE) yield* present(await copies.shift());
    }
    while (copies.length > 0) yield* present(await copies.shift());
  } finally {
    await Promise.allSettled(copies);
  }
}

function* present(file: BackupFile | undefined): Generator<BackupFile> {
  if (file) yield file;
}

async function copyObject(
  folder: BackupFolder,
  object: NamedObject,
  tally: CopyTally,
  copying: Copying,
): Promise<BackupFile | undefined> {
  const { key, sizeBytes, sha256 } = object;
  const kept = await lookAtKept(folder, object, copying);
  const written = kept === "sound" ? { sha256, sizeBytes } : await bring(folder, object, tally, copying);
  if (kept === "changed" && written?.sha256 === sha256) tally.healed.push(folder.objectPath(sha256));
  tally.objects++;
  tally.bytes += written?.sizeBytes ?? 0;
  if (!written) {
    tally.missing.push(key);
    return undefined;
  }
  const file = { path: folder.objectPath(written.sha256), kind: "object" as const, ...written, key };
  if (written.sha256 === sha256 && written.sizeBytes === sizeBytes) return file;
  tally.changed.push(key);
  return { ...file, expectedSha256: sha256 };
}

/** A file gets its name only when it is complete, but its medium may have damaged it since. */
async function lookAtKept(
  folder: BackupFolder,
  { sha256, sizeBytes }: NamedObject,
  { isReread, signal }: Copying,
): Promise<"absent" | "sound" | "changed"> {
  const path = join(folder.root, folder.objectPath(sha256));
  const kept = await statFile(path);
  if (!kept) return "absent";
  if (kept.size !== sizeBytes) return "changed";
  if (!isReread(sha256)) return "sound";
  try {
    return (await hashFile(path, signal)).sha256 === sha256 ? "sound" : "changed";
  } catch (error) {
    if (isUnreadable(error)) return "changed";
    throw error;
  }
}

/** `undefined` where no store holds the object. */
async function bring(
  folder: BackupFolder,
  object: NamedObject,
  tally: CopyTally,
  copying: Copying,
): Promise<Written | undefined> {
  return await placeFile(folder.unfinishedObjects, async (path) => {
    const written = await copyOnceRight(object, path, copying);
    if (!written) return { result: undefined, target: undefined };
    tally.copiedBytes += written.sizeBytes;
    return { result: written, target: join(folder.root, folder.objectPath(written.sha256)) };
  });
}

/** As {@link copyFromSource}, a second time if the first brought other bytes, or none: a store may answer wrong for a moment. */
async function copyOnceRight(
  object: NamedObject,
  target: string,
  copying: Copying,
): Promise<Written | undefined> {
  const first = await copyFromSource(object, target, copying);
  if (first?.sha256 === object.sha256) return first;
  await rm(target, { force: true });
  return await copyFromSource(object, target, copying);
}

/** `undefined` where no store holds the object, or the disk can't read it. @throws {StagedElsewhere} */
async function copyFromSource(
  object: NamedObject,
  target: string,
  { sources, transfers, signal }: Copying,
): Promise<Written | undefined> {
  for (let looks = 0; ; ) {
    const found = await findBytes(sources, object);
    if (!found || ++looks > MAX_LOOKS) {
      if (object.stagedOn === null || !isElsewhere(object, sources)) return undefined;
      if (!(await transfers.wait(object.stagedOn))) throw new StagedElsewhere(object.stagedOn);
      continue;
    }
    try {
      if (found.path !== undefined) return await copyHashed(found.path, target, signal);
      return await writeHashed(found.read(), target, signal);
    } catch (error) {
      if (isUnreadable(error)) return undefined;
      // The end of a transfer removes the staged bytes: they are in the store then.
      if (!(error instanceof ObjectNotFound || isAbsent(error))) throw error;
      await rm(target, { force: true });
    }
  }
}
