import { createReadStream } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { dropLoaded, hasLoadedRows, loadDump } from "../../../db/dump/load-dump.ts";
import { ownStatements } from "../../../db/dump/own-statements.ts";
import { type Migration, migrate } from "../../../db/migrate.ts";
import { ConnectionLost, onConnection, openPostgres } from "../../../db/postgres.ts";
import { endRestoreClaim, isNotedLoaded, noteLoaded } from "../../../db/restore-claim.ts";
import type { RestoredDamage } from "../../../holdings/restored-objects.repo.ts";
import { putVerified } from "../../../holdings/transfer/transfer-upload.ts";
import { jobsSchema } from "../../../jobs/jobs-schema.ts";
import { replaceFile, sync } from "../../../storage/disk/durable-file.ts";
import { isAbsent, isUnreadable } from "../../../storage/disk/fs-failure.ts";
import { namesIn } from "../../../storage/disk/list-files.ts";
import type { ObjectStore } from "../../../storage/object-store.ts";
import { placeRestored } from "../../ingest/resumable/place-restored.ts";
import type { RestoredUploads } from "../../ingest/resumable/restored-resumables.repo.ts";
import type { ResumablePart } from "../../ingest/resumable/resumable-uploads.table.ts";
import { type BackupFolder, openBackupFolder } from "../backup-folder.ts";
import {
  type BackupFile,
  type BackupHead,
  readManifestFiles,
  readManifestHead,
  readManifestMissing,
} from "../backup-manifest.ts";
import { copyHashed, hashFile } from "../hashed-copy.ts";
import { BackupIsDamaged, BackupIsNewer, NoBackup, PlaceIsTaken } from "../safekeeping.errors.ts";
import { findRestoring, RESTORE_MARK, RestoreIsUnfinished, restoreMark } from "./assert-restored.ts";
import { holdRestore } from "./restore.repo.ts";
import { settleRestored } from "./settle-restored.ts";
import { takeDatabase } from "./take-database.ts";

export interface RestoreOptions {
  dataDir: string;
  outbox: string;
  /** AUTH_SECRET, if the environment sets it. */
  authSecret: string | undefined;
  /** Opens the archive store; called once DATA_DIR is known to be empty. */
  openStore: () => Promise<ObjectStore>;
  /** Starts or reaches the database, which has to be empty. */
  reachDatabase: () => Promise<{ url: string } & AsyncDisposable>;
  migrations: readonly Migration[];
  /** The state to restore. If unset, the one whose restore was interrupted here, or else the newest. */
  state?: string | undefined;
  /** Leaves out objects and mails that are damaged in the backup, instead of stopping at the first one. */
  withoutDamaged?: boolean | undefined;
  now: Date;
  signal: AbortSignal;
  onProgress?: (restored: { objects: number; bytes: number }) => void;
}

export interface RestoreReport extends BackupHead {
  /** Keys of objects, and paths of mails, that were left out because the backup's copies are damaged. */
  leftOut: string[];
  /** Objects that were not whole in the archive at the backup: absent from it, or with the changed bytes that it holds. */
  notWhole: RestoredDamage[];
}

/**
 * Restores a state of the backup in `root` into an empty DATA_DIR, database and store, and checks every hash on the way. Everything
 * is as it was at the backup, except that nobody is signed in. An interrupted run is repeated with the same backup; until then the
 * server does not start there.
 * @throws {NoBackup | BackupIsNewer | BackupIsDamaged | PlaceIsTaken | RestoreIsRunning | RestoreIsUnfinished | ConnectionLost}
 */
export async function restoreBackup(root: string, options: RestoreOptions): Promise<RestoreReport> {
  const folder = openBackupFolder(root);
  const begun = await findRestoring(options.dataDir);
  const head = await chooseState(folder, begun?.state, options);
  const manifest = join(folder.statePath(head.state), "manifest.json");
  const isRepeated = begun?.state === head.state;
  if (begun && !isRepeated) throw new RestoreIsUnfinished(options.dataDir, begun.state);
  if (!isRepeated) await assertFoldersAreFree(options);
  await assertSecretFits(folder, manifest, options);
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const mark = join(options.dataDir, RESTORE_MARK);
  if (!isRepeated) await replaceFile(mark, restoreMark(head.state));
  await using database = await options.reachDatabase();
  await using hold = await holdRestore(database.url);
  // Another restore may have ended since the mark was read, and a server may work there now.
  if ((await findRestoring(options.dataDir))?.state !== head.state) throw new PlaceIsTaken(options.dataDir);
  const leftOut: string[] = [];
  const damage: RestoredDamage[] = [];
  const sql = openPostgres(database.url, { max: 1, connection: { application_name: "exameteca-restore" } });
  try {
    const { name, found } = await takeDatabase(sql, database.url, begun);
    if (found === "taken") {
      if (!isRepeated) await rm(mark);
      throw new PlaceIsTaken("the database");
    }
    if (found !== "whole") {
      await replaceFile(mark, restoreMark(head.state, name));
      const { dump, uploads } = await restoreFiles(folder, manifest, options, { leftOut, damage });
      for await (const key of readManifestMissing(manifest)) damage.push({ key, found: "missing" });
      if (!(await hold.isHeld())) throw new ConnectionLost();
      if (!(await isNotedLoaded(sql))) {
        // A server of an older release may begin to work on an empty database though it is claimed.
        if (await hasLoadedRows(sql)) {
          await replaceFile(mark, restoreMark(head.state));
          await sql.begin(endRestoreClaim);
          throw new PlaceIsTaken("the database");
        }
        if (found === "begun") await dropLoaded(sql);
        await loadRows(database.url, dump, options);
      }
      await migrate(database.url, options.migrations, undefined, { isRestore: true });
      await sql.begin(async (tx) => {
        await settleRestored(tx, { damage, uploads, now: options.now });
        await endRestoreClaim(tx);
      });
    }
  } finally {
    await sql.end({ timeout: 5 });
  }
  await rm(mark);
  await sync(options.dataDir);
  const unread = new Set(leftOut);
  return { ...head, leftOut, notWhole: damage.filter(({ key }) => !unread.has(key)) };
}

async function loadRows(
  url: string,
  dump: string,
  { migrations, signal }: Pick<RestoreOptions, "migrations" | "signal">,
): Promise<void> {
  const own = ownStatements(migrations, [jobsSchema()]);
  await onConnection(url, "exameteca-load", (loader, lost) =>
    loadDump(loader, createReadStream(dump, { highWaterMark: 1 << 20, signal }), own, lost, noteLoaded),
  );
}

/** The state that is asked for, else the one whose restore was interrupted, else the newest. */
async function chooseState(
  folder: BackupFolder,
  begun: string | undefined,
  { state, migrations }: Pick<RestoreOptions, "state" | "migrations">,
): Promise<BackupHead> {
  const states = await folder.listStates();
  const chosen = state ?? states.find((name) => name === begun) ?? states.at(-1);
  if (chosen === undefined || !states.includes(chosen)) throw new NoBackup(folder.root, states);
  const head = await readManifestHead(join(folder.statePath(chosen), "manifest.json"));
  if (!migrations.some(({ folderMillis }) => folderMillis === head.migration)) throw new BackupIsNewer();
  return head;
}

async function assertFoldersAreFree({ dataDir, openStore }: RestoreOptions): Promise<void> {
  const first = (await namesIn(dataDir)).find((name) => !SYSTEM_FOLDERS.has(name));
  if (first !== undefined) throw new PlaceIsTaken(join(dataDir, first));
  for await (const { key } of (await openStore()).list("")) throw new PlaceIsTaken(`the object ${key}`);
}

/** Folders that a store or a file system makes by itself. */
const SYSTEM_FOLDERS = new Set(["objects", "lost+found"]);

/** Checks that AUTH_SECRET, if set, is the secret of the backup, which alone opens what is sealed in the database. */
async function assertSecretFits(
  folder: BackupFolder,
  manifest: string,
  { authSecret }: RestoreOptions,
): Promise<void> {
  if (authSecret === undefined) return;
  for await (const file of readManifestFiles(manifest)) {
    if (file.kind !== "secret" || !file.path.endsWith("/auth-secret")) continue;
    const path = join(folder.root, file.path);
    assertSame(file, await hashFile(path).catch(asDamage(file)));
    const kept = (await readFile(path, "utf8")).trim();
    if (kept !== authSecret) throw new PlaceIsTaken("AUTH_SECRET, which is not the secret of this backup,");
    return;
  }
}

/**
 * Restores everything except the rows, and returns the path of the dump, whose hash was checked, and the uploads. Adds to what could not
 * be restored whole.
 */
async function restoreFiles(
  folder: BackupFolder,
  manifest: string,
  options: RestoreOptions,
  { leftOut, damage }: { leftOut: string[]; damage: RestoredDamage[] },
): Promise<{ dump: string; uploads: RestoredUploads }> {
  const { dataDir, signal, onProgress } = options;
  const store = await options.openStore();
  const restored = { objects: 0, bytes: 0 };
  const uploads = new Map<string, readonly ResumablePart[]>();
  const arrivingDir = join(dataDir, "arriving");
  let dump: string | undefined;
  const scratch = join(dataDir, `${RESTORE_MARK}.objects`);
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { mode: 0o700 });
  for await (const file of readManifestFiles(manifest)) {
    signal.throwIfAborted();
    const source = join(folder.root, file.path);
    if (file.kind === "database") {
      assertSame(file, await hashFile(source, signal).catch(asDamage(file)));
      dump = source;
      continue;
    }
    const copy = join(scratch, "copy");
    try {
      assertSame(file, await copyHashed(source, copy, signal).catch(asDamage(file)));
    } catch (error) {
      if (!(error instanceof BackupIsDamaged && error.isSpare && options.withoutDamaged)) throw error;
      leftOut.push(file.key ?? (file.uploadId ? `upload ${file.uploadId}` : file.path));
      if (file.key !== undefined) damage.push({ key: file.key, found: "missing" });
      await rm(copy, { force: true });
      continue;
    }
    const name = basename(file.path);
    if (file.kind === "object" && file.key !== undefined) {
      await putObject(store, copy, { ...file, key: file.key }, signal);
      if (file.expectedSha256 !== undefined) damage.push({ key: file.key, found: "damaged" });
      restored.objects++;
      restored.bytes += file.sizeBytes;
      onProgress?.(restored);
    } else if (file.uploadId !== undefined) {
      uploads.set(file.uploadId, await placeRestored({ arrivingDir, store }, file.uploadId, copy));
      restored.bytes += file.sizeBytes;
    } else if (file.kind === "secret") await placeSmall(copy, join(dataDir, name));
    else await placeSmall(copy, join(options.outbox, name));
    await rm(copy, { force: true });
  }
  await rm(scratch, { recursive: true });
  if (dump === undefined) throw new BackupIsDamaged("the manifest names no dump");
  return { dump, uploads };
}

/** What a disk took was read as it was copied; another store is asked for it. @throws {CopyDiffers} */
async function putObject(
  store: ObjectStore,
  path: string,
  object: { key: string; sizeBytes: number; sha256: string },
  signal: AbortSignal,
): Promise<void> {
  if (store.kind === "disk") await store.putFile(object.key, path, { signal });
  else await putVerified(store, path, object, signal);
}

function assertSame(file: BackupFile, { sizeBytes, sha256 }: { sizeBytes: number; sha256: string }): void {
  if (sizeBytes !== file.sizeBytes || sha256 !== file.sha256)
    throw new BackupIsDamaged(`${file.path} has changed`, isSpare(file));
}

function asDamage(file: BackupFile) {
  return (error: unknown): never => {
    const what = isAbsent(error) ? "is missing" : isUnreadable(error) ? "can't be read" : undefined;
    throw what ? new BackupIsDamaged(`${file.path} ${what}`, isSpare(file)) : error;
  };
}

/** Whether everything else is worth restoring without this file. */
function isSpare({ kind }: BackupFile): boolean {
  return kind === "object" || kind === "mail" || kind === "upload";
}

async function placeSmall(source: string, target: string): Promise<void> {
  const folder = dirname(target);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await rm(target, { force: true });
  await copyHashed(source, target);
  await sync(target);
  await sync(folder);
}
