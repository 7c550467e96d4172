import { setImmediate } from "node:timers/promises";
import { type Pieces, piecesOf } from "../../archive/pieces.ts";
import type { Tx } from "../../db/client.ts";
import { runConcurrently } from "../../db/run-concurrently.ts";
import type { Deps } from "../../deps.ts";
import { sleep } from "../../runtime/sleep.ts";
import { type ObjectStore, StoreUnavailable } from "../../storage/object-store.ts";
import { deleteUnlessHeld } from "../deletion-hold.repo.ts";
import { purgeQueue } from "../holding-queues.ts";
import {
  findStoredObject,
  forgetStagedCopies,
  listObjectsOfUpload,
  switchToArchive,
} from "../objects/stored-objects.repo.ts";
import type { StoredObjectRow } from "../objects/stored-objects.table.ts";

/**
 * An object larger than this is switched as soon as it is copied, so that no retry moves it again; the others are switched together
 * at the end.
 */
const SWITCHED_AT_ONCE_BYTES = 16 * 1024 * 1024;

type TransferDeps = Pick<Deps, "db" | "jobs" | "store" | "staging" | "node" | "log" | "owners">;

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
  await deps.owners.studies.showStaged(deps.db, uploadId, "transferring");
  let copied: StoredObjectRow[] = [];
  const deleted: StoredObjectRow[] = [];
  try {
    for (const object of mine.filter(({ location }) => location === "staging")) {
      signal.throwIfAborted();
      await copyUnlessDeleted(deps, object, signal);
      copied.push(object);
      if (object.sizeBytes < SWITCHED_AT_ONCE_BYTES) continue;
      const orphaned = await deps.db.transaction((tx) => switchCopied(deps, tx, uploadId, copied));
      deleted.push(...orphaned);
      copied = [];
    }
  } catch (error) {
    await deps.owners.studies.showStaged(deps.db, uploadId, "error");
    // A first failure is often over at the next try.
    if (isRetry) await deps.owners.studies.transferFailed(deps.db, studyIds);
    throw error;
  }
  const orphans = await deps.db.transaction(async (tx) => {
    const [orphaned] = await runConcurrently(
      switchCopied(deps, tx, uploadId, copied),
      deps.owners.studies.settle(tx, uploadId),
      ...studyIds.map((studyId) => deps.owners.studies.archived(tx, studyId)),
    );
    return orphaned;
  });
  deleted.push(...orphans);
  const isHeld = deleted.length > 0 && !(await deleteUnlessHeld(deps.db, () => removeCopies(deps, deleted)));
  if (isHeld) await deps.jobs.enqueue(purgeQueue, { keys: deleted.map(({ key }) => key) });
  // The jobs that the deletion enqueued remove the staged bytes once no backup may read them any more.
  const gone = isHeld ? mine.filter((object) => !deleted.includes(object)) : mine;
  await removeStagedCopies(deps, uploadId, gone);
  if (isRetry) await removeStrays(deps, uploadId);
}

/** Copies an object; if its study is deleted meanwhile, an error is not a failure. */
async function copyUnlessDeleted(
  deps: TransferDeps,
  object: StoredObjectRow,
  signal: AbortSignal,
): Promise<void> {
  try {
    await copyToArchive(deps, object, signal);
  } catch (error) {
    if (await findStoredObject(deps.db, object.id)) throw error;
  }
}

/** Switches objects to their verified copies; returns those whose study was deleted meanwhile. */
export async function switchCopied(
  { owners }: Pick<Deps, "owners">,
  tx: Tx,
  uploadId: string,
  copied: StoredObjectRow[],
): Promise<StoredObjectRow[]> {
  const ids = copied.map(({ id }) => id);
  // The studies are locked first, as their deletion does.
  const [, switched] = await runConcurrently(
    owners.studies.lockOfUpload(tx, uploadId),
    switchToArchive(tx, uploadId, ids),
  );
  return copied.filter(({ id }) => !switched.has(id));
}

export async function removeCopies(
  { store }: Pick<Deps, "store">,
  objects: StoredObjectRow[],
): Promise<void> {
  for (const { key } of objects) await store.delete(key);
}

/**
 * Copies a staged object to the archive store and verifies the copy by reading it back. Idempotent. A store may answer before all
 * bytes that it took can be read, so a copy that differs is made again.
 * @throws {CopyDiffers}
 */
export async function copyToArchive(
  deps: Pick<Deps, "store" | "node">,
  object: Pick<StoredObjectRow, "key" | "sizeBytes" | "sha256">,
  signal: AbortSignal,
): Promise<void> {
  for (let copies = 1; ; copies++) {
    try {
      return await copyOnce(deps, object, signal);
    } catch (error) {
      if (!(error instanceof CopyDiffers) || copies === MAX_COPIES) throw error;
      await sleep(copies * COPY_AGAIN_MS, signal);
    }
  }
}

const MAX_COPIES = 3;
const COPY_AGAIN_MS = 200;

async function copyOnce(
  deps: Pick<Deps, "store" | "node">,
  object: Pick<StoredObjectRow, "key" | "sizeBytes" | "sha256">,
  signal: AbortSignal,
): Promise<void> {
  await deps.store.putFile(object.key, deps.node.stagedPath(object.key), { signal });
  const copy = await deps.store.stat(object.key);
  if (copy?.sizeBytes !== object.sizeBytes) throw new CopyDiffers("size");
  if ((await sha256Of(deps.store, object, signal)) !== object.sha256) throw new CopyDiffers("SHA-256");
}

/** Whether the archive store has a correct copy of an object, which is read to its end. */
export async function isCopied(
  store: ObjectStore,
  object: Pick<StoredObjectRow, "key" | "sizeBytes" | "sha256">,
  signal: AbortSignal,
): Promise<boolean> {
  const copy = await store.stat(object.key);
  return copy?.sizeBytes === object.sizeBytes && (await sha256Of(store, object, signal)) === object.sha256;
}

async function removeStagedCopies(
  deps: TransferDeps,
  uploadId: string,
  objects: StoredObjectRow[],
): Promise<void> {
  for (const object of objects) await deps.staging.delete(object.key);
  await forgetStagedCopies(
    deps.db,
    uploadId,
    objects.map((object) => object.id),
  );
}

/** Deletes copies that a killed run made for a study deleted meanwhile, since no row names them. */
async function removeStrays(deps: TransferDeps, uploadId: string): Promise<void> {
  const named = new Set((await listObjectsOfUpload(deps.db, uploadId)).map((object) => object.key));
  for await (const { key } of deps.store.list(`${uploadId}/`)) {
    if (!named.has(key)) await deps.store.delete(key);
  }
}

/** The store does not give back what it took. */
export class CopyDiffers extends StoreUnavailable {
  override name = "CopyDiffers";
  constructor(what: "size" | "SHA-256") {
    super(`the copy in the archive store has another ${what}`);
  }
}

/** The server reads so many bytes at once, in two buffers. */
const READ_BACK_BYTES = 512 * 1024;

async function sha256Of(
  store: ObjectStore,
  { key, sizeBytes }: Pick<StoredObjectRow, "key" | "sizeBytes">,
  signal: AbortSignal,
): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const bytes of await readBack(store, key, sizeBytes)) {
    signal.throwIfAborted();
    hasher.update(bytes);
    // Reading a file may never wait, so without this pause nothing else would run until the whole file is hashed.
    await setImmediate();
  }
  return hasher.digest("hex");
}

/** A stream makes a buffer for each piece, so the server would grow by a hundred megabytes of them. */
async function readBack(store: ObjectStore, key: string, length: number): Promise<Pieces> {
  if (store.scan && length > 0) return store.scan(key, { offset: 0, length }, READ_BACK_BYTES);
  return piecesOf(await store.open(key));
}
