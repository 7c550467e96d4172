import { copyFile, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeDump } from "../../../db/dump/write-dump.ts";
import type { Migration } from "../../../db/migrate.ts";
import { holdDeletions } from "../../../holdings/deletion-hold.repo.ts";
import type { ObjectSources } from "../../../holdings/object-sources.ts";
import { jobsSchema } from "../../../jobs/jobs-schema.ts";
import { sync } from "../../../storage/disk/durable-file.ts";
import { type BackupFolder, makeBackupFolder, stateName } from "../backup-folder.ts";
import { type BackupFile, manifestLines } from "../backup-manifest.ts";
import { UNFINISHED, type Written, writeHashed } from "../hashed-copy.ts";
import { inSnapshot, readNames, spoolNames, type Total } from "../snapshot.ts";
import { CopyTally, copyObjects } from "./copy-objects.ts";
import { copySmallFiles, type SmallFile } from "./copy-small-files.ts";
import { pruneStates } from "./prune-states.ts";

export interface BackupOptions {
  databaseUrl: string;
  /** The migrations that the database has. */
  migrations: readonly Migration[];
  product: string;
  sources: ObjectSources;
  /** The files beside the objects and the database. */
  smallFiles: readonly SmallFile[];
  /** How many states to keep, including the new one; all if unset. */
  keep?: number | undefined;
  now: Date;
  signal: AbortSignal;
  /** Called while the tally grows, with the expected total. */
  onProgress?: (tally: CopyTally, total: Total) => void;
}

export interface BackupReport extends CopyTally {
  state: string;
}

/**
 * Backs up a running installation into the folder `root`: the rows of one snapshot, every object that they name, secrets and mails.
 * Deletions of objects wait meanwhile; everything else goes on. Objects of earlier states are not copied again, and an interrupted
 * backup leaves no state.
 * @throws {BackupIsRunning} if another backup of the same installation runs
 * @throws {StagedElsewhere} if some bytes are only on another node
 */
export async function makeBackup(root: string, options: BackupOptions): Promise<BackupReport> {
  const { signal, now } = options;
  const folder = await makeBackupFolder(root);
  await using hold = await holdDeletions(options.databaseUrl);
  await folder.removeUnfinished();
  const state = stateName(now, await folder.listStates());
  const unfinished = folder.unfinishedPath(state);
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  const names = join(unfinished, `names${UNFINISHED}`);
  const { dump, total } = await readSnapshot(options, join(unfinished, "database.sql"), names);
  const tally = new CopyTally();
  async function* files(): AsyncGenerator<BackupFile> {
    yield { path: `states/${state}/database.sql`, kind: "database", ...dump };
    yield* copySmallFiles(folder, state, options.smallFiles);
    for await (const file of copyObjects(folder, readNames(names), options.sources, tally, signal)) {
      options.onProgress?.(tally, total);
      yield file;
    }
  }
  const head = {
    version: 1 as const,
    product: options.product,
    state,
    createdAt: now.toISOString(),
    migration: Math.max(0, ...options.migrations.map(({ folderMillis }) => folderMillis)),
  };
  await writeHashed(manifestLines(head, files(), tally.missing), join(unfinished, "manifest.json"), signal);
  await rm(names);
  await hold.assertHeld();
  await publish(folder, state);
  if (options.keep !== undefined) await pruneStates(folder, options.keep);
  return { state, ...tally };
}

/** Writes the dump to `dumpPath` and the objects that it names to `namesPath`, all seen in one snapshot. */
async function readSnapshot(
  { databaseUrl, migrations, signal }: BackupOptions,
  dumpPath: string,
  namesPath: string,
): Promise<{ dump: Written; total: Total }> {
  return await inSnapshot(databaseUrl, async (tx, lost) => ({
    dump: await writeHashed(writeDump(tx, migrations, [jobsSchema()], lost), dumpPath, signal),
    total: await spoolNames(tx, namesPath, signal),
  }));
}

/** Gives the state its name once all of it is durable, and then puts its manifest beside the objects as the newest. */
async function publish(folder: BackupFolder, state: string): Promise<void> {
  const unfinished = folder.unfinishedPath(state);
  for (const name of ["database.sql", "manifest.json", "."]) await sync(join(unfinished, name));
  await rename(unfinished, folder.statePath(state));
  await sync(join(folder.root, "states"));
  const manifest = `${folder.manifestPath}${UNFINISHED}`;
  await copyFile(join(folder.statePath(state), "manifest.json"), manifest);
  await sync(manifest);
  await rename(manifest, folder.manifestPath);
  await sync(folder.root);
}
