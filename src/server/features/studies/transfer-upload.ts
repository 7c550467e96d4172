import type { Deps } from "../../deps.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { thumbnailQueue } from "../thumbnails/thumbnail-jobs.ts";
import {
  findStoredObject,
  forgetStagedCopies,
  listObjectsOfUpload,
  setStatusOfStaged,
  settleStatus,
  switchToArchive,
} from "./stored-objects.repo.ts";
import type { StoredObjectRow } from "./studies.table.ts";

type TransferDeps = Pick<Deps, "db" | "jobs" | "store" | "staging" | "node" | "log">;

/**
 * Moves what an upload stored from this node's staging area to the archive store: copy, verify size and
 * SHA-256 by reading back, switch the pointer, only then delete the source. May be killed between any two
 * steps and run again. On failure the studies show `error` and keep their staged bytes.
 */
export async function transferUpload(
  deps: TransferDeps,
  uploadId: string,
  signal: AbortSignal,
  { isRetry = false } = {},
): Promise<void> {
  const objects = await listObjectsOfUpload(deps.db, uploadId);
  const mine = objects.filter((object) => object.stagedOn === deps.node.id);
  const studyIds = [...new Set(mine.map((object) => object.studyId))];
  await deps.db.transaction((tx) => setStatusOfStaged(tx, studyIds, "transferring"));
  try {
    for (const object of mine) {
      signal.throwIfAborted();
      if (object.location === "staging") await moveToArchive(deps, object, signal);
    }
  } catch (error) {
    await deps.db.transaction((tx) => setStatusOfStaged(tx, studyIds, "error"));
    throw error;
  }
  await deps.db.transaction(async (tx) => {
    await settleStatus(tx, studyIds);
    for (const studyId of studyIds) await deps.jobs.enqueue(thumbnailQueue, { studyId }, { tx });
  });
  await removeStagedCopies(deps, mine);
  if (isRetry) await removeStrays(deps, uploadId);
}

/** The study may be deleted while its bytes are on their way: then nothing stays behind, and nothing has failed. */
async function moveToArchive(
  deps: TransferDeps,
  object: StoredObjectRow,
  signal: AbortSignal,
): Promise<void> {
  try {
    await copyToArchive(deps, object, signal);
  } catch (error) {
    if (await findStoredObject(deps.db, object.id)) throw error;
  }
  if (!(await switchToArchive(deps.db, object.id))) await deps.store.delete(object.key);
}

/** Copies a staged object to the archive store and verifies the copy by reading it back. Idempotent. */
export async function copyToArchive(
  deps: Pick<Deps, "store" | "node">,
  object: Pick<StoredObjectRow, "key" | "sizeBytes" | "sha256">,
  signal: AbortSignal,
): Promise<void> {
  await deps.store.putFile(object.key, deps.node.stagedPath(object.key), { signal });
  const copy = await deps.store.stat(object.key);
  if (copy?.sizeBytes !== object.sizeBytes) throw new CopyDiffers("size");
  if ((await sha256Of(deps.store, object.key, signal)) !== object.sha256) throw new CopyDiffers("SHA-256");
}

async function removeStagedCopies(deps: TransferDeps, objects: StoredObjectRow[]): Promise<void> {
  for (const object of objects) await deps.staging.delete(object.key);
  await forgetStagedCopies(
    deps.db,
    objects.map((object) => object.id),
  );
}

/** Deletes copies that a killed run made for a study deleted meanwhile: no row names them. */
async function removeStrays(deps: TransferDeps, uploadId: string): Promise<void> {
  const named = new Set((await listObjectsOfUpload(deps.db, uploadId)).map((object) => object.key));
  for await (const { key } of deps.store.list(`${uploadId}/`)) {
    if (!named.has(key)) await deps.store.delete(key);
  }
}

export class CopyDiffers extends Error {
  override name = "CopyDiffers";
  constructor(what: "size" | "SHA-256") {
    super(`the copy in the archive store has another ${what}`);
  }
}

async function sha256Of(store: ObjectStore, key: string, signal: AbortSignal): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  const body = await store.open(key);
  const stream = body instanceof Blob ? body.stream() : body;
  for await (const chunk of stream) {
    signal.throwIfAborted();
    hasher.update(chunk);
  }
  return hasher.digest("hex");
}
