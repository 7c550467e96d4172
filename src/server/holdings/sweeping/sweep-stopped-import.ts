import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "../../deps.ts";
import { importDirOf, readNodeId } from "../../nodes/node.ts";
import { lockIdleNode } from "../../nodes/node-hold.repo.ts";
import { isSwept } from "../../nodes/nodes.repo.ts";
import { namesIn } from "../../storage/disk/list-files.ts";
import { listStagedUploads } from "../objects/stored-objects.repo.ts";

/**
 * Removes the files of an import on this DATA_DIR that was killed, once it counts as a dead node: its uploads have been given up
 * then. Another import would remove them too.
 */
export async function sweepStoppedImport({ db, config }: Pick<Deps, "db" | "config">): Promise<void> {
  const folder = importDirOf(config.dataDir);
  const nodeId = await readNodeId(folder);
  if (nodeId === undefined) return;
  await db.transaction(async (tx) => {
    if (!(await isSwept(tx, nodeId)) || !(await lockIdleNode(tx, nodeId))) return;
    const staged = new Set(await listStagedUploads(tx, nodeId));
    await rm(join(folder, "scratch"), { recursive: true, force: true });
    const staging = join(folder, "staging");
    for (const name of await namesIn(staging)) {
      if (!staged.has(name)) await rm(join(staging, name), { recursive: true, force: true });
    }
  });
}
