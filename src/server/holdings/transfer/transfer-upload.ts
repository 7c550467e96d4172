import { setImmediate } from "node:timers/promises";
import { type Pieces, piecesOf } from "../../archive/pieces.ts";
import type { Tx } from "../../db/client.ts";
import { runConcurrently } from "../../db/run-concurrently.ts";
import type { Deps } from "../../deps.ts";
import { forEachAtOnce } from "../../runtime/for-each-at-once.ts";
import { sleep } from "../../runtime/sleep.ts";
import { deleteObjects } from "../../storage/delete-objects.ts";
import { ObjectNotFound, type ObjectStore, StoreUnavailable } from "../../storage/object-store.ts";
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
/**
 * Objects of up to this size are copied beside each other, since each mostly waits for the store; a larger one fills the line alone. All
 * at once must still be sent in the time that one may take, also on a line of 1 Mbit/s.
 */
const SMALL_BYTES = 128 * 1024;
const SMALL_AT_ONCE = 8;

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
  const copied: StoredObjectRow[] = [];
  const deleted: StoredObjectRow[] = [];
  try {
    const staged = mine.filter(({ location }) => location === "staging");
    await copyEach(staged, async (object) => {
      signal.throwIfAborted();
      await copyUnlessDeleted(deps, object, signal);
      copied.push(object);
      if (object.sizeBytes < SWITCHED_AT_ONCE_BYTES) return;
      const switching = copied.splice(0);
      const orphaned = await deps.db.transaction((tx) => switchCopied(deps, tx, uploadId, switching));
      deleted.push(...orphaned);
    });
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
  const areRemoved = await removeCopies(
    deps,
    deleted.map(({ key }) => key),
  );
  // The jobs that the deletion enqueued remove the staged bytes once no backup may read them any more.
  const gone = areRemoved ? mine : mine.filter((object) => !deleted.includes(object));
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

/** Deletes copies that no row names any more; returns `false` if a job does so once no backup may read them. */
export async function removeCopies(
  { db, jobs, store }: Pick<Deps, "db" | "jobs" | "store">,
  keys: string[],
): Promise<boolean> {
  if (keys.length === 0) return true;
  const areRemoved = await deleteUnlessHeld(db, () => deleteObjects(store, keys));
  if (!areRemoved) await jobs.enqueue(purgeQueue, { keys });
  return areRemoved;
}

/** Copies large objects one after the other, then small ones beside each other. */
async function copyEach<Copied extends { sizeBytes: number }>(
  objects: readonly Copied[],
  copy: (object: Copied) => Promise<void>,
): Promise<void> {
  const isSmall = ({ sizeBytes }: Copied) => sizeBytes <= SMALL_BYTES;
  for (const object of objects.filter((one) => !isSmall(one))) await copy(object);
  await forEachAtOnce(objects.filter(isSmall), SMALL_AT_ONCE, copy);
}

/** Copies what an upload became to the archive store, each as {@link copyToArchive} does. */
export async function copyAllToArchive(
  deps: CopyDeps,
  objects: readonly CopiedObject[],
  signal: AbortSignal,
): Promise<void> {
  await copyEach(objects, (object) => copyToArchive(deps, object, signal));
}

type CopyDeps = Pick<Deps, "store" | "node">;
type CopiedObject = Pick<StoredObjectRow, "key" | "sizeBytes" | "sha256">;

/** Copies a staged object to the archive store, as {@link putVerified} does. @throws {CopyDiffers} */
export async function copyToArchive(
  { store, node }: CopyDeps,
  object: CopiedObject,
  signal: AbortSignal,
): Promise<void> {
  await putVerified(store, node.stagedPath(object.key), object, signal);
}

/**
 * Copies the file at `path` to a store and verifies the copy by reading it back. Idempotent. A store may answer before all bytes that it
 * took can be read, so a copy that differs is made again.
 * @throws {CopyDiffers}
 */
export async function putVerified(
  store: ObjectStore,
  path: string,
  object: CopiedObject,
  signal: AbortSignal,
): Promise<void> {
  for (let copies = 1; ; copies++) {
    try {
      return await putOnce(store, path, object, signal);
    } catch (error) {
      if (!(error instanceof CopyDiffers) || copies === MAX_COPIES) throw error;
      await sleep(copies * COPY_AGAIN_MS, signal);
    }
  }
}

const MAX_COPIES = 3;
const COPY_AGAIN_MS = 200;

async function putOnce(
  store: ObjectStore,
  path: string,
  object: CopiedObject,
  signal: AbortSignal,
): Promise<void> {
  await store.putFile(object.key, path, { signal });
  // A remote copy is read to its end, whatever its size: to ask for that first would take one more wait.
  const copy = store.scan ? await store.stat(object.key) : object;
  if (copy?.sizeBytes !== object.sizeBytes) throw new CopyDiffers("size");
  const sha256 = await sha256Of(store, object, signal).catch((cause) => {
    throw cause instanceof ObjectNotFound ? new CopyDiffers("size", { cause }) : cause;
  });
  if (sha256 !== object.sha256) throw new CopyDiffers("SHA-256");
}

/** Whether the archive store has a correct copy of an object, which is read to its end. */
export async function isCopied(
  store: ObjectStore,
  object: CopiedObject,
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
  const listed = await Array.fromAsync(deps.store.list(`${uploadId}/`), ({ key }) => key);
  await removeCopies(
    deps,
    listed.filter((key) => !named.has(key)),
  );
}

/** The store does not give back what it took. */
export class CopyDiffers extends StoreUnavailable {
  override name = "CopyDiffers";
  constructor(what: "size" | "SHA-256", options?: ErrorOptions) {
    super(`the copy in the archive store has another ${what}`, options);
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
