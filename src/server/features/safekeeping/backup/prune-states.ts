import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { sync } from "../../../storage/disk/durable-file.ts";
import type { BackupFolder } from "../backup-folder.ts";
import { readManifestFiles } from "../backup-manifest.ts";

/** What a backup writes; anything else in its folders is not its own. */
const OBJECT_FOLDER = /^[0-9a-f]{2}$/;
const OBJECT_NAME = /^[0-9a-f]{64}$/;

/**
 * Removes all states but the newest `keep`, then every object that no state names any more. The states go first, so that an
 * interruption leaves unneeded objects but never loses a needed one. Of each upload in `lost`, which the newest state lacks, the
 * newest state that has it stays: it may have the only copy.
 */
export async function pruneStates(
  folder: BackupFolder,
  keep: number,
  lost: readonly string[] = [],
): Promise<void> {
  const states = await folder.listStates();
  const last = await lastStatesWith(folder, states, lost);
  const kept = states.filter((state, index) => index >= states.length - keep || last.has(state));
  const going = states.filter((state) => !kept.includes(state));
  if (going.length === 0) return;
  const named = await namesOf(folder, kept);
  // Of a state that lost its name, the next backup removes the rest.
  for (const state of going) await rename(folder.statePath(state), folder.unfinishedPath(state));
  await sync(join(folder.root, "states"));
  for (const state of going) await rm(folder.unfinishedPath(state), { recursive: true });
  await removeUnnamed(folder, named);
}

/** For each of the uploads, the newest state that has it. */
async function lastStatesWith(
  folder: BackupFolder,
  states: readonly string[],
  uploadIds: readonly string[],
): Promise<Set<string>> {
  const last = new Set<string>();
  const sought = new Set(uploadIds);
  for (const state of states.toReversed()) {
    if (sought.size === 0) break;
    for await (const { uploadId } of readManifestFiles(join(folder.statePath(state), "manifest.json")))
      if (uploadId !== undefined && sought.delete(uploadId)) last.add(state);
  }
  return last;
}

/** Removes every object that no state names: what a backup copied that made none. */
export async function removeUnstated(folder: BackupFolder): Promise<void> {
  await removeUnnamed(folder, await namesOf(folder, await folder.listStates()));
}

async function namesOf(folder: BackupFolder, states: readonly string[]): Promise<Set<string>> {
  const named = new Set<string>();
  for (const state of states) {
    for await (const { path } of readManifestFiles(join(folder.statePath(state), "manifest.json")))
      named.add(path);
  }
  return named;
}

async function removeUnnamed(folder: BackupFolder, named: ReadonlySet<string>): Promise<void> {
  const objects = join(folder.root, "objects");
  for (const prefix of await readdir(objects)) {
    if (!OBJECT_FOLDER.test(prefix)) continue;
    for (const name of await readdir(join(objects, prefix))) {
      const isUnneeded = OBJECT_NAME.test(name) && !named.has(`objects/${prefix}/${name}`);
      if (isUnneeded) await rm(join(objects, prefix, name));
    }
  }
}
