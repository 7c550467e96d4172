import { join } from "node:path";
import type { Config } from "../config.ts";
import type { ObjectSources } from "../holdings/object-sources.ts";
import { readNodeId } from "../nodes/node.ts";
import { createDiskStore } from "../storage/disk/disk-store.ts";
import { createS3Store } from "../storage/s3/s3-store.ts";

/** Opens the archive store without the local copies that a server keeps of it. */
export async function openArchive({ dataDir, s3 }: Config): Promise<ObjectSources> {
  const root = join(dataDir, "objects");
  return {
    store: s3 ? createS3Store(s3) : createDiskStore({ root }),
    storedPath: s3 ? undefined : (key) => join(root, key),
    nodeId: await readNodeId(dataDir),
    stagedPath: (key) => join(dataDir, "staging", key),
  };
}
