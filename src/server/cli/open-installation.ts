import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { createDiskStore } from "../storage/disk/disk-store.ts";
import { isAbsent } from "../storage/disk/fs-failure.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { createS3Store } from "../storage/s3/s3-store.ts";

/** The bytes of an installation as a command sees them, beside the server that may run there. */
export interface Archive {
  store: ObjectStore;
  /** The file of an object, where the archive store is a folder. */
  storedPath: ((key: string) => string) | undefined;
  /** The node of this DATA_DIR; none has ever run there: `undefined`. */
  nodeId: string | undefined;
  stagedPath(key: string): string;
}

/** Opens the archive store without the local copies that a server keeps of it. */
export async function openArchive({ dataDir, s3 }: Config): Promise<Archive> {
  const root = join(dataDir, "objects");
  return {
    store: s3 ? createS3Store(s3) : createDiskStore({ root }),
    storedPath: s3 ? undefined : (key) => join(root, key),
    nodeId: await readNodeId(join(dataDir, "node-id")),
    stagedPath: (key) => join(dataDir, "staging", key),
  };
}

async function readNodeId(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
