import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isObjectKey } from "../object-store.ts";
import { statFile } from "./durable-file.ts";
import { isAbsent, onDisk } from "./fs-failure.ts";

/**
 * The regular files below `folder` whose relative path starts with `prefix` (no `/` in it), in the order of their
 * paths. Holds the names of one folder for each level. Does not follow symbolic links.
 */
export async function* listFiles(
  folder: string,
  prefix = "",
): AsyncGenerator<{ name: string; sizeBytes: number }> {
  // With its slash, a folder sorts like the keys below it: "a-b" before "a/b" before "a0".
  for (const name of (await namesOfKeysIn(folder)).sort()) {
    if (!name.startsWith(prefix)) continue;
    const path = join(folder, name);
    if (name.endsWith("/")) {
      for await (const file of listFiles(path)) yield { ...file, name: name + file.name };
      continue;
    }
    const stats = await onDisk(() => statFile(path));
    if (stats) yield { name, sizeBytes: stats.size };
  }
}

/** The names that can be part of a key; a folder's name ends with `/`. None if the folder is gone. */
async function namesOfKeysIn(folder: string): Promise<string[]> {
  return onDisk(async () => {
    try {
      const entries = await readdir(folder, { withFileTypes: true });
      return entries
        .filter((entry) => isObjectKey(entry.name) && (entry.isFile() || entry.isDirectory()))
        .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  });
}

/** Names in a folder; none if the folder does not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
