import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { chunks } from "../../runtime/chunks.ts";
import { purgeQueue, stagingPurgeQueue } from "../holding-queues.ts";

/** The bytes of a row that is being deleted. */
export interface DiscardedObject {
  key: string;
  /** The node whose staging area may hold them too. */
  stagedOn: string | null;
}

const KEYS_PER_JOB = 500;

/**
 * Enqueues the deletion of objects' bytes in the transaction that deletes their rows. A staged object is deleted from the archive
 * store too, since its transfer may be under way.
 */
export async function discardObjects(
  deps: Pick<Deps, "jobs">,
  tx: Tx,
  objects: DiscardedObject[],
  options: { afterSeconds?: number } = {},
): Promise<void> {
  const byNode = Map.groupBy(
    objects.filter((object) => object.stagedOn !== null),
    (object) => object.stagedOn ?? "",
  );
  const send = { tx, runAfterSeconds: options.afterSeconds };
  for (const [nodeId, staged] of byNode) {
    for (const keys of chunks(keysOf(staged), KEYS_PER_JOB))
      await deps.jobs.enqueue(stagingPurgeQueue(nodeId), { keys }, send);
  }
  for (const keys of chunks(keysOf(objects), KEYS_PER_JOB))
    await deps.jobs.enqueue(purgeQueue, { keys }, send);
}

const keysOf = (objects: DiscardedObject[]) => objects.map(({ key }) => key);
