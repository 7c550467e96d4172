import { lstat, readdir, realpath } from "node:fs/promises";
import { isAbsent } from "../../storage/disk/fs-failure.ts";
import { nameOf, rawPath } from "../../storage/disk/raw-path.ts";
import type { FileReport, FoundFile } from "./found-file.ts";
import { PathIsAbsent } from "./import.errors.ts";

/** Deeper folders are not entered, which also ends loops that are no symbolic links. */
const MAX_DEPTH = 64;

export type WalkedFile = { found: FoundFile } | { report: FileReport };

export interface WalkOptions {
  /** A folder that is not entered: the installation's own data. */
  avoid: string;
  signal: AbortSignal;
}

/** Absolute paths of what was named. @throws {PathIsAbsent} */
export async function resolvePaths(paths: readonly string[]): Promise<string[]> {
  return await Promise.all(
    paths.map(async (path) => {
      try {
        return await realpath(path);
      } catch (error) {
        throw isAbsent(error) ? new PathIsAbsent(path) : error;
      }
    }),
  );
}

/**
 * Every file below the named paths, folder by folder, in the order of names. Symbolic links are not followed: what one names inside
 * of the path is found by its own name. Holds the names of the folders on the way, and no open file.
 */
export async function* walkPaths(
  paths: readonly string[],
  options: WalkOptions,
): AsyncGenerator<WalkedFile, void> {
  for (const path of paths) yield* walkEntry(path, 0, options);
}

async function* walkEntry(
  path: string,
  depth: number,
  options: WalkOptions,
): AsyncGenerator<WalkedFile, void> {
  options.signal.throwIfAborted();
  const stats = await lstat(rawPath(path), { bigint: true }).catch(() => undefined);
  if (!stats) yield reported(path, "refused", "file.unreadable");
  else if (stats.isSymbolicLink()) yield reported(path, "skipped", "symbolic_link");
  else if (stats.isDirectory()) yield* walkFolder(path, depth, options);
  else if (!stats.isFile()) yield reported(path, "skipped", "special_file");
  else yield { found: { path, sizeBytes: Number(stats.size), modifiedNs: stats.mtimeNs } };
}

async function* walkFolder(
  path: string,
  depth: number,
  options: WalkOptions,
): AsyncGenerator<WalkedFile, void> {
  if (path === options.avoid) return yield reported(path, "skipped", "own_data");
  if (depth > MAX_DEPTH) return yield reported(path, "refused", "folder.too_deep");
  const names = await readdir(rawPath(path), { encoding: "buffer" }).catch(() => undefined);
  if (!names) return yield reported(path, "refused", "folder.unreadable");
  for (const inside of await foldersLast(names.map((name) => `${path === "/" ? "" : path}/${nameOf(name)}`)))
    yield* walkEntry(inside, depth + 1, options);
}

/** In the order of names. */
async function foldersLast(paths: string[]): Promise<string[]> {
  const files: string[] = [];
  const folders: string[] = [];
  for (const path of paths.sort()) {
    const stats = await lstat(rawPath(path)).catch(() => undefined);
    (stats?.isDirectory() ? folders : files).push(path);
  }
  return [...files, ...folders];
}

function reported(path: string, outcome: "skipped" | "refused", reason: string): WalkedFile {
  return { report: { path, outcome, reason } };
}
