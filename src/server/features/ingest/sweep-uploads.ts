import { readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { isUuid } from "../../../shared/uuid.ts";
import type { Deps } from "../../deps.ts";
import { listObjectsOfUpload } from "../studies/stored-objects.repo.ts";
import { removeUploadBytes } from "./abandon-upload.ts";
import { deleteOldUploads, endUpload, findUploads, listDeadUploads } from "./ingest.repo.ts";

type SweepDeps = Pick<Deps, "db" | "node" | "store" | "staging" | "clock" | "log" | "config">;

const FOLDERS_AT_ONCE = 500;
const UNFINISHED_MS = 24 * 3600_000;
const KEPT_MS = 30 * 24 * 3600_000;

/**
 * Removes what dead uploads of this node left behind, and only that: each upload was recorded before its first
 * byte. Runs at start, before the node takes uploads, and hourly.
 */
export async function sweepUploads(deps: SweepDeps): Promise<void> {
  const { db, node, clock, log } = deps;
  for (const upload of await listDeadUploads(db, node.id, node.bootId)) {
    if (!(await endUpload(db, upload.id, "failed", clock.now()))) continue;
    await removeUploadBytes(deps, upload.id);
    log.info("upload.swept", {});
  }
  const names = (await readdir(node.stagingDir)).filter(isUuid);
  for (let start = 0; start < names.length; start += FOLDERS_AT_ONCE) {
    await sweepFolders(deps, names.slice(start, start + FOLDERS_AT_ONCE));
  }
  const olderThan = new Date(clock.now().getTime() - UNFINISHED_MS);
  await deps.staging.sweepUnfinished(olderThan);
  await deps.store.sweepUnfinished(olderThan);
  await deleteOldUploads(db, node.id, new Date(clock.now().getTime() - KEPT_MS));
}

/** Folders of ended uploads: a failed one goes, a committed one keeps only what rows name. */
async function sweepFolders(deps: SweepDeps, uploadIds: string[]): Promise<void> {
  for (const upload of await findUploads(deps.db, uploadIds)) {
    if (upload.nodeId !== deps.node.id) continue;
    if (upload.state === "failed") await removeUploadBytes(deps, upload.id);
    if (upload.state === "committed") await removeUnnamed(deps, upload.id);
  }
}

async function removeUnnamed(deps: SweepDeps, uploadId: string): Promise<void> {
  const folder = deps.node.stagedPath(uploadId);
  const objects = await listObjectsOfUpload(deps.db, uploadId);
  const named = new Set(
    objects.filter((object) => object.stagedOn === deps.node.id).map((object) => object.key),
  );
  let kept = 0;
  for (const name of await readdir(folder)) {
    if (named.has(`${uploadId}/${name}`)) kept++;
    else await rm(join(folder, name), { recursive: true, force: true });
  }
  if (kept === 0) await rmdir(folder);
}
