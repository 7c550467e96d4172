import { lstat, mkdir, realpath, rm } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { isAbsent } from "../../storage/disk/fs-failure.ts";
import { namesIn } from "../../storage/disk/list-files.ts";
import { UNFINISHED } from "./hashed-copy.ts";
import { BackupIsInside, FolderIsLink } from "./safekeeping.errors.ts";

const STATE_NAME = /^([0-9]{8}T[0-9]{6}Z)(?:-([0-9]+))?$/;

/**
 * The folder of a backup:
 *
 *     manifest.json                  the newest state
 *     states/20261122T131500Z/       one folder a state: manifest.json, database.sql, secrets/, mail/
 *     objects/ab/ab12…               each distinct object once, named by its SHA-256
 *
 * A state appears as a whole, by a rename, after everything that it names is durable.
 */
export interface BackupFolder {
  root: string;
  /** The path relative to the backup's folder, as in manifests. */
  objectPath(sha256: string): string;
  /** Complete states, in the order in which they were made. */
  listStates(): Promise<string[]>;
  statePath(state: string): string;
  /** Where a state is written before its rename. */
  unfinishedPath(state: string): string;
  manifestPath: string;
  /** Where an object is written before it gets its name. */
  unfinishedObjects: string;
  /** Removes what an interrupted backup left behind, except the objects that it copied, which the next one uses. */
  removeUnfinished(): Promise<void>;
}

export function openBackupFolder(root: string): BackupFolder {
  const states = join(root, "states");
  const unfinishedObjects = join(root, `objects${UNFINISHED}`);
  return {
    root,
    objectPath: (sha256) => `objects/${sha256.slice(0, 2)}/${sha256}`,
    listStates: async () =>
      (await namesIn(states)).filter((name) => STATE_NAME.test(name)).sort(compareStates),
    statePath: (state) => join(states, state),
    unfinishedPath: (state) => join(states, `${state}${UNFINISHED}`),
    manifestPath: join(root, "manifest.json"),
    unfinishedObjects,
    async removeUnfinished() {
      await rm(unfinishedObjects, { recursive: true, force: true });
      for (const name of await namesIn(states)) {
        if (name.endsWith(UNFINISHED)) await rm(join(states, name), { recursive: true });
      }
    },
  };
}

/**
 * Makes the missing folders of a backup, which only this user may read.
 * @throws {BackupIsInside} if links lead into `dataDir`
 * @throws {FolderIsLink}
 */
export async function makeBackupFolder(root: string, dataDir: string): Promise<BackupFolder> {
  await assertOutside(root, dataDir);
  await mkdir(root, { recursive: true, mode: 0o700 });
  for (const folder of [join(root, "states"), join(root, "objects")]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (!(await lstat(folder)).isDirectory()) throw new FolderIsLink(folder);
  }
  return openBackupFolder(root);
}

/** Compares the folders that paths lead to, of which the last ones may not exist yet. */
async function assertOutside(root: string, dataDir: string): Promise<void> {
  const inside = relative(await realPathOf(dataDir), await realPathOf(root));
  if (inside === "" || !(inside === ".." || inside.startsWith(`..${sep}`))) throw new BackupIsInside();
}

async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isAbsent(error) || dirname(path) === path) throw error;
    return join(await realPathOf(dirname(path)), basename(path));
  }
}

/** The name of a state made at `at`, behind those of all `states`, even if the clock was set back since they were made. */
export function stateName(at: Date, states: readonly string[]): string {
  const name = `${at.toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
  const last = states.at(-1);
  if (last === undefined || compareStates(last, name) < 0) return name;
  const { second, number } = partsOf(last);
  return `${second}-${number + 1}`;
}

function compareStates(one: string, other: string): number {
  const [a, b] = [partsOf(one), partsOf(other)];
  if (a.second !== b.second) return a.second < b.second ? -1 : 1;
  return a.number - b.number;
}

/** The second that a state is named by, and its number among those of that name. */
function partsOf(state: string): { second: string; number: number } {
  const [, second = "", number = "1"] = STATE_NAME.exec(state) ?? [];
  return { second, number: Number(number) };
}
