import { rm } from "node:fs/promises";
import { join } from "node:path";
import { findBytes, isElsewhere, type ObjectSources } from "../../../holdings/object-sources.ts";
import { OperatorError } from "../../../runtime/operator-error.ts";
import { statFile } from "../../../storage/disk/durable-file.ts";
import { isAbsent } from "../../../storage/disk/fs-failure.ts";
import { ObjectNotFound } from "../../../storage/object-store.ts";
import type { BackupFolder } from "../backup-folder.ts";
import type { BackupFile } from "../backup-manifest.ts";
import { copyHashed, placeFile, type Written, writeHashed } from "../hashed-copy.ts";
import type { NamedObject } from "../named-objects.repo.ts";

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
  /** Keys that no store holds. */
  missing: string[] = [];
}

/**
 * Copies every object that is not in the folder yet, and yields the files in the order of `named`. An object whose bytes have
 * changed is copied as it is now, under its present hash.
 * @throws {StagedElsewhere}
 */
export async function* copyObjects(
  folder: BackupFolder,
  named: AsyncIterable<NamedObject>,
  sources: ObjectSources,
  tally: CopyTally,
  signal: AbortSignal,
): AsyncGenerator<BackupFile> {
  const copies: Promise<BackupFile | undefined>[] = [];
  try {
    for await (const object of named) {
      signal.throwIfAborted();
      const copy = copyObject(folder, object, sources, tally, signal);
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
  sources: ObjectSources,
  tally: CopyTally,
  signal: AbortSignal,
): Promise<BackupFile | undefined> {
  const { key, sizeBytes, sha256 } = object;
  const written =
    (await keptAlready(folder, object)) ?? (await bring(folder, object, sources, tally, signal));
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

/** A file of this name is complete, since a file gets its name only when it is. */
async function keptAlready(
  folder: BackupFolder,
  { sha256, sizeBytes }: NamedObject,
): Promise<Written | undefined> {
  const kept = await statFile(join(folder.root, folder.objectPath(sha256)));
  return kept?.size === sizeBytes ? { sha256, sizeBytes } : undefined;
}

/** `undefined` where no store holds the object. */
async function bring(
  folder: BackupFolder,
  object: NamedObject,
  sources: ObjectSources,
  tally: CopyTally,
  signal: AbortSignal,
): Promise<Written | undefined> {
  return await placeFile(folder.unfinishedObjects, async (path) => {
    const written = await copyFromSource(object, sources, path, signal);
    if (!written) return { result: undefined, target: undefined };
    tally.copiedBytes += written.sizeBytes;
    return { result: written, target: join(folder.root, folder.objectPath(written.sha256)) };
  });
}

/** `undefined` where no store holds the object. @throws {StagedElsewhere} */
async function copyFromSource(
  object: NamedObject,
  sources: ObjectSources,
  target: string,
  signal: AbortSignal,
): Promise<Written | undefined> {
  for (let look = 1; look <= MAX_LOOKS; look++) {
    const found = await findBytes(sources, object);
    if (!found) break;
    try {
      if (found.path !== undefined) return await copyHashed(found.path, target, signal);
      return await writeHashed(found.read(), target, signal);
    } catch (error) {
      // The end of a transfer removes the staged bytes: they are in the store then.
      if (!(error instanceof ObjectNotFound || isAbsent(error))) throw error;
      await rm(target, { force: true });
    }
  }
  if (object.stagedOn !== null && isElsewhere(object, sources)) throw new StagedElsewhere(object.stagedOn);
  return undefined;
}
