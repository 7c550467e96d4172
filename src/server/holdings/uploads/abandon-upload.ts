import { rm } from "node:fs/promises";
import type { Deps } from "../../deps.ts";
import { describeError } from "../../runtime/log.ts";
import { deleteObjects } from "../../storage/delete-objects.ts";
import { endUpload, findUploads, markBytesRemoved } from "./uploads.repo.ts";

type AbandonDeps = Pick<Deps, "db" | "node" | "store" | "clock" | "log">;

/**
 * Removes every byte of an uncommitted upload, on this node and in the archive store, even if another node gave it up meanwhile. A
 * committed upload stays, even if the answer to its commit was lost. The sweeper removes what can't be removed now.
 * @param mayBeStored whether a byte may have gone to the store; otherwise a store that is away is not waited for
 */
export async function abandonUpload(
  deps: AbandonDeps,
  uploadId: string,
  { mayBeStored = true } = {},
): Promise<void> {
  const { node } = deps;
  try {
    node.unendedUploads.add(uploadId);
    const isEnded = await endUpload(deps.db, uploadId, "failed", deps.clock.now());
    const [upload] = isEnded ? [] : await findUploads(deps.db, [uploadId]);
    node.unendedUploads.delete(uploadId);
    if (isEnded || upload?.state === "failed") await removeUploadBytes(deps, uploadId, { mayBeStored });
  } catch (error) {
    deps.log.warn("upload.abandon_failed", describeError(error));
  }
}

/** Called by the node that received the failed upload: only it knows that no more bytes will arrive. Idempotent. */
export async function removeUploadBytes(
  deps: Pick<Deps, "db" | "node" | "store" | "clock">,
  uploadId: string,
  { mayBeStored = true } = {},
): Promise<void> {
  // First, so that a store that can't be reached does not fill this disk.
  await rm(deps.node.stagedPath(uploadId), { recursive: true, force: true });
  if (mayBeStored) await removeStoredBytes(deps, uploadId);
  await markBytesRemoved(deps.db, uploadId, deps.clock.now());
}

/** Removes what an upload put into the store. */
async function removeStoredBytes({ store }: Pick<Deps, "store">, uploadId: string): Promise<void> {
  await deleteObjects(store, keysOf(store.list(`${uploadId}/`)));
}

async function* keysOf(listed: AsyncIterable<{ key: string }>): AsyncGenerator<string> {
  for await (const { key } of listed) yield key;
}

/** As {@link removeUploadBytes}, but for any node: it first ends transfers to the store. */
export async function removeAbandonedBytes(
  deps: Pick<Deps, "db" | "store">,
  uploadId: string,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const [upload] = await findUploads(deps.db, [uploadId]);
  if (upload?.state !== "failed") return;
  await deps.store.endUnfinished(`${uploadId}/`);
  await removeStoredBytes(deps, uploadId);
}
