import { rm } from "node:fs/promises";
import type { Deps } from "../../deps.ts";
import { describeError } from "../../log.ts";
import { endUpload } from "./ingest.repo.ts";

/**
 * Removes every byte of an upload that was not committed, on this node and in the archive store. Leaves a
 * committed one alone, even where the answer to its commit was lost. What can't be removed now, the sweeper does.
 */
export async function abandonUpload(
  deps: Pick<Deps, "db" | "node" | "store" | "clock" | "log">,
  uploadId: string,
): Promise<void> {
  try {
    if (!(await endUpload(deps.db, uploadId, "failed", deps.clock.now()))) return;
    await removeUploadBytes(deps, uploadId);
  } catch (error) {
    deps.log.warn("upload.abandon_failed", describeError(error));
  }
}

/** The folder goes last: while it is there, the sweeper tries again. Idempotent. */
export async function removeUploadBytes(deps: Pick<Deps, "node" | "store">, uploadId: string): Promise<void> {
  for await (const { key } of deps.store.list(`${uploadId}/`)) await deps.store.delete(key);
  await rm(deps.node.stagedPath(uploadId), { recursive: true, force: true });
}
