import type { Deps } from "../../deps.ts";
import { purgeQueue, transferQueue } from "../holding-queues.ts";
import { type OwnedObject, ownerOf } from "../object-owners.ts";
import { type ObjectSources, readToEnd } from "../object-sources.ts";
import { findStoredObject } from "../objects/stored-objects.repo.ts";
import type { ObjectDeps } from "../reading/open-object.ts";
import { isCopied, switchCopied } from "../transfer/transfer-upload.ts";
import { soughtOf, sourcesOf } from "./check-object.ts";
import { closeFindings, findOpenFinding } from "./findings.repo.ts";

type HealDeps = ObjectDeps & Pick<Deps, "jobs">;

/**
 * Replaces a damaged or missing object by a copy that this node has of it: the local copy of the store, or staged bytes that were
 * not removed yet. Staged bytes are replaced by the copy that a transfer made. The copy's own bytes are read before, and the
 * object's afterwards. Returns whether the object is sound now.
 */
export async function healObject(
  deps: HealDeps,
  { objectId, kind, key }: { objectId: string; kind: OwnedObject["kind"]; key?: string },
  signal: AbortSignal,
): Promise<boolean> {
  const { db, clock, log, owners } = deps;
  const owner = ownerOf(owners, { kind });
  const object = await owner.findObject(db, objectId);
  // Its exam was deleted, perhaps before a run that was killed put a copy back.
  if (!object && key !== undefined) await deps.jobs.enqueue(purgeQueue, { keys: [key] });
  if (!object || !(await findOpenFinding(db, objectId))) return false;
  const isHealed =
    object.location === "staging"
      ? await switchToTransferredCopy(deps, object, signal)
      : await putCopyBack(deps, object, signal);
  if (!isHealed) return false;
  log.info("integrity.healed", { kind, object: objectId });
  await db.transaction(async (tx) => {
    await closeFindings(tx, [objectId], "copy", clock.now());
    await owner.enqueueCheck(tx, object.ownerId);
  });
  return true;
}

async function putCopyBack(deps: HealDeps, object: OwnedObject, signal: AbortSignal): Promise<boolean> {
  const sources = sourcesOf(deps);
  const paths = [deps.cache?.copyPath(object.key), deps.node.stagedPath(object.key)];
  for (const path of paths) {
    if (path === undefined || !(await isWhole(object, fileAlone(sources, path), signal))) continue;
    await sources.store.putFile(object.key, path, { signal });
    const isRight = await isWhole(object, sources, signal);
    if (await ownerOf(deps.owners, object).findObject(deps.db, object.id)) return isRight;
    // Its exam was deleted meanwhile, perhaps before the copy was put back.
    await deps.jobs.enqueue(purgeQueue, { keys: [object.key] });
    return false;
  }
  return false;
}

/** A transfer that was interrupted may have made a right copy of bytes that were damaged later. */
async function switchToTransferredCopy(
  deps: HealDeps,
  { id, stagedOn }: OwnedObject,
  signal: AbortSignal,
): Promise<boolean> {
  const object = await findStoredObject(deps.db, id);
  if (!object || stagedOn === null || !(await isCopied(sourcesOf(deps).store, object, signal))) return false;
  await deps.db.transaction(async (tx) => {
    await switchCopied(deps, tx, object.uploadId, [object]);
    await deps.owners.studies.settle(tx, object.uploadId);
    await deps.jobs.enqueue(transferQueue(stagedOn), { uploadId: object.uploadId }, { tx });
  });
  return true;
}

async function isWhole(object: OwnedObject, sources: ObjectSources, signal: AbortSignal): Promise<boolean> {
  const sought = { ...soughtOf(object), stagedOn: null };
  return (await readToEnd(sought, { sources, signal, lookAgain: async () => sought })) === "right";
}

/** The sources of an object that is to be read from one file and nowhere else. */
function fileAlone(sources: ObjectSources, path: string): ObjectSources {
  return { ...sources, storedPath: () => path };
}
