import { copyFile, mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeDump } from "../../../db/dump/write-dump.ts";
import type { Migration } from "../../../db/migrate.ts";
import { holdDeletions } from "../../../holdings/deletion-hold.repo.ts";
import type { ObjectSources } from "../../../holdings/object-sources.ts";
import { jobsSchema } from "../../../jobs/jobs-schema.ts";
import { sync } from "../../../storage/disk/durable-file.ts";
import { errnoOf, isAbsent } from "../../../storage/disk/fs-failure.ts";
import { listUntaken, type UntakenUpload } from "../../ingest/resumable/untaken-resumables.repo.ts";
import { type BackupFolder, makeBackupFolder, stateName } from "../backup-folder.ts";
import {
  type BackupFile,
  ManifestIsUnreadable,
  manifestLines,
  readManifestHead,
} from "../backup-manifest.ts";
import { UNFINISHED, type Written, writeHashed } from "../hashed-copy.ts";
import { listNamedObjects, type NamedObject } from "../named-objects.repo.ts";
import { FolderIsForeign, FolderIsUnwritable } from "../safekeeping.errors.ts";
import { inSnapshot, readRows, spoolRows, type Total } from "../snapshot.ts";
import { AwaitedTransfers } from "./awaited-transfers.ts";
import { CopyTally, copyObjects } from "./copy-objects.ts";
import { copySmallFiles, type SmallFile } from "./copy-small-files.ts";
import { copyUploads, UploadTally } from "./copy-uploads.ts";
import { holdFolder } from "./hold-folder.ts";
import { pruneStates, removeUnstated } from "./prune-states.ts";

export interface BackupOptions {
  /** Where the installation is: a backup may not be in it. */
  dataDir: string;
  databaseUrl: string;
  /** The migrations that the database has. */
  migrations: readonly Migration[];
  product: string;
  sources: ObjectSources;
  /** The files beside the objects and the database. */
  smallFiles: readonly SmallFile[];
  /** How many states to keep, including the new one; all if unset. */
  keep?: number | undefined;
  /** Reads every object again that the folder has already; by default a part of them, by turns. */
  rereadAll?: boolean | undefined;
  now: Date;
  signal: AbortSignal;
  /** Called while the tally grows, with the expected total. */
  onProgress?: (tally: CopyTally, total: Total) => void;
}

export interface BackupReport extends CopyTally {
  state: string;
  /** What no study shows yet. A restore has it taken in. */
  untaken: UploadTally;
  /** Why older states are still there: the errno of what failed, or which manifest can't be read. */
  unpruned?: string;
}

const SECRET = "auth-secret";
/** Objects lie in folders by the first byte of their hash. */
const OBJECT_FOLDERS = 256;
/** What the folder has already is read again, so many of its folders with each backup: all of them in 29. */
const REREAD_FOLDERS = 9;

/**
 * Backs up a running installation into the folder `root`: the rows of one snapshot, every object that they name, secrets and mails.
 * Deletions of objects wait meanwhile; everything else goes on. Objects of earlier states are not copied again, and an interrupted
 * backup leaves no state.
 * @throws {BackupIsRunning} if another backup of the same installation runs
 * @throws {StagedElsewhere} if some bytes are only on another node, and do not come to the store within two minutes
 * @throws {BackupIsInside | FolderIsLink | FolderIsBusy | FolderIsForeign | FolderIsUnwritable}
 */
export async function makeBackup(root: string, options: BackupOptions): Promise<BackupReport> {
  try {
    const folder = await inFolder(root, () => makeBackupFolder(root, options.dataDir));
    await using _running = await inFolder(root, () => holdFolder(root));
    await folder.removeUnfinished();
    try {
      return await writeState(folder, options);
    } catch (error) {
      if (isUnwritable(error)) await folder.removeUnfinished();
      if (isFull(error)) await makeRoom(folder);
      throw error;
    }
  } catch (error) {
    throw isUnwritable(error) ? new FolderIsUnwritable(root, error) : error;
  }
}

/** Removes the objects that no state names from a full disk. If a manifest can't be read, all stay: it may name them. */
async function makeRoom(folder: BackupFolder): Promise<void> {
  try {
    await removeUnstated(folder);
  } catch (error) {
    if (!(error instanceof ManifestIsUnreadable)) throw error;
  }
}

function isUnwritable(error: unknown): boolean {
  return isFull(error) || errnoOf(error) === "EROFS";
}

function isFull(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes(errnoOf(error) ?? "");
}

/** Runs what concerns nothing but the folder of the backup. @throws {FolderIsUnwritable} for every failed system call */
async function inFolder<T>(root: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw errnoOf(error) ? new FolderIsUnwritable(root, error) : error;
  }
}

async function writeState(folder: BackupFolder, options: BackupOptions): Promise<BackupReport> {
  const { signal, now } = options;
  await using hold = await holdDeletions(options.databaseUrl);
  const states = await folder.listStates();
  await assertOwn(folder, states.at(-1), options.smallFiles);
  const state = stateName(now, states);
  const rereadFrom = await rereadFromOf(folder, states.at(-1));
  const unfinished = folder.unfinishedPath(state);
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  const names = join(unfinished, `names${UNFINISHED}`);
  const uploads = join(unfinished, `uploads${UNFINISHED}`);
  const { dump, total } = await readSnapshot(options, {
    dump: join(unfinished, "database.sql"),
    names,
    uploads,
  });
  const tally = new CopyTally();
  const untaken = new UploadTally();
  const isReread = (sha256: string) => options.rereadAll === true || isInTurn(sha256, rereadFrom);
  await using transfers = new AwaitedTransfers(options.databaseUrl, signal);
  const copying = { sources: options.sources, isReread, transfers, signal };
  const places = { store: options.sources.store, arrivingDir: join(options.dataDir, "arriving") };
  async function* files(): AsyncGenerator<BackupFile> {
    yield { path: `states/${state}/database.sql`, kind: "database", ...dump };
    yield* copySmallFiles(folder, state, options.smallFiles);
    for await (const file of copyObjects(folder, readRows<NamedObject>(names), tally, copying)) {
      options.onProgress?.(tally, total);
      yield file;
    }
    yield* copyUploads(folder, readRows<UntakenUpload>(uploads), untaken, { places, signal });
  }
  const head = {
    version: 1 as const,
    product: options.product,
    state,
    createdAt: now.toISOString(),
    migration: Math.max(0, ...options.migrations.map(({ folderMillis }) => folderMillis)),
    rereadFrom: (rereadFrom + REREAD_FOLDERS) % OBJECT_FOLDERS,
  };
  await writeHashed(manifestLines(head, files(), tally.missing), join(unfinished, "manifest.json"), signal);
  for (const path of [names, uploads]) await rm(path);
  await hold.assertHeld();
  await publish(folder, state);
  const unpruned = options.keep === undefined ? undefined : await prune(folder, options.keep, untaken.lost);
  return { state, ...tally, untaken, ...(unpruned && { unpruned }) };
}

/** The state is made, whatever becomes of older ones. @returns what failed, as {@link BackupReport.unpruned} */
async function prune(
  folder: BackupFolder,
  keep: number,
  lost: readonly string[],
): Promise<string | undefined> {
  try {
    await pruneStates(folder, keep, lost);
    return undefined;
  } catch (error) {
    const why = error instanceof ManifestIsUnreadable ? error.message : errnoOf(error);
    if (why === undefined) throw error;
    return why;
  }
}

/** Compares the secrets, which each installation has of its own. @throws {FolderIsForeign} */
async function assertOwn(
  folder: BackupFolder,
  newest: string | undefined,
  smallFiles: readonly SmallFile[],
): Promise<void> {
  if (newest === undefined) return;
  const kept = await textOf({ path: join(folder.statePath(newest), "secrets", SECRET) });
  const own = smallFiles.find(({ name }) => name === SECRET);
  if (kept !== undefined && kept !== (own && (await textOf(own.source))))
    throw new FolderIsForeign(folder.root, newest);
}

async function textOf(source: SmallFile["source"]): Promise<string | undefined> {
  if ("text" in source) return source.text.trim();
  try {
    return (await readFile(source.path, "utf8")).trim();
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Where the newest state says that reading goes on. */
async function rereadFromOf(folder: BackupFolder, newest: string | undefined): Promise<number> {
  if (newest === undefined) return 0;
  try {
    return (await readManifestHead(join(folder.statePath(newest), "manifest.json"))).rereadFrom ?? 0;
  } catch (error) {
    if (error instanceof ManifestIsUnreadable) return 0;
    throw error;
  }
}

function isInTurn(sha256: string, rereadFrom: number): boolean {
  const number = Number.parseInt(sha256.slice(0, 2), 16);
  return (number - rereadFrom + OBJECT_FOLDERS) % OBJECT_FOLDERS < REREAD_FOLDERS;
}

/** Writes the dump, the objects that it names, and the uploads that wait, all seen in one snapshot, to these files. */
async function readSnapshot(
  { databaseUrl, migrations, signal }: BackupOptions,
  paths: { dump: string; names: string; uploads: string },
): Promise<{ dump: Written; total: Total }> {
  return await inSnapshot(databaseUrl, async (tx, lost) => {
    const dump = await writeHashed(writeDump(tx, migrations, [jobsSchema()], lost), paths.dump, signal);
    const total = await spoolRows(listNamedObjects(tx), paths.names, signal);
    await spoolRows(listUntaken(tx), paths.uploads, signal);
    return { dump, total };
  });
}

/** Gives the state its name once all of it is durable, and then puts its manifest beside the objects as the newest. */
async function publish(folder: BackupFolder, state: string): Promise<void> {
  const unfinished = folder.unfinishedPath(state);
  // The folders of objects may be new in `objects`, and `objects` may be new in the root.
  for (const name of ["objects", "."]) await sync(join(folder.root, name));
  for (const name of ["database.sql", "manifest.json", "."]) await sync(join(unfinished, name));
  await rename(unfinished, folder.statePath(state));
  await sync(join(folder.root, "states"));
  const manifest = `${folder.manifestPath}${UNFINISHED}`;
  await copyFile(join(folder.statePath(state), "manifest.json"), manifest);
  await sync(manifest);
  await rename(manifest, folder.manifestPath);
  await sync(folder.root);
}
