import type { Deps } from "../deps.ts";
import { type Queue, queueOfNode } from "../jobs/queue.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { checkPresence } from "./checking/check-presence.ts";
import { sumOldVolumes } from "./checking/sum-old-volumes.ts";
import { deleteUnlessHeld } from "./deletion-hold.repo.ts";
import {
  presenceQueue,
  purgeQueue,
  stagingPurgeQueue,
  sumSweepQueue,
  transferQueue,
} from "./holding-jobs.ts";
import { listStagedUploads } from "./objects/stored-objects.repo.ts";
import { adoptUpload } from "./sweeping/adopt-upload.ts";
import { sweepDeadNodes } from "./sweeping/sweep-dead-nodes.ts";
import { adoptionQueue, deadNodesQueue, removalQueue, sweepQueue } from "./sweeping/sweep-jobs.ts";
import { endDeadUploads, sweepUploads } from "./sweeping/sweep-uploads.ts";
import { transferUpload } from "./transfer/transfer-upload.ts";
import { removeAbandonedBytes } from "./uploads/abandon-upload.ts";

/** How often a deletion looks whether a backup is over. */
const PURGE_AFTER_HOLD_SECONDS = 60;
/** A start has better to do. */
const PRESENCE_AFTER_SECONDS = 300;

/**
 * Gives up what a former run was receiving, then sweeps, transfers, deletes and checks bytes in the background. What a
 * former run left staged is enqueued again.
 */
export async function startHoldingJobs(deps: Deps): Promise<void> {
  await startSweeping(deps);
  await startTransfers(deps);
  await startChecks(deps);
}

/**
 * Now and hourly, in the background: a store that can't be reached must not keep the server from starting. Every minute
 * one node looks after those that are gone.
 */
async function startSweeping(deps: Deps): Promise<void> {
  const { jobs } = deps;
  await endDeadUploads(deps);
  await jobs.work(queueOfNode(sweepQueue, deps.node.id), () => sweepUploads(deps));
  await scheduleSweep(deps);
  await jobs.work(removalQueue, async ({ uploadIds }, { signal }) => {
    for (const uploadId of uploadIds) await removeAbandonedBytes(deps, uploadId, signal);
  });
  await jobs.work(adoptionQueue, async ({ nodeId, uploadIds }, { signal }) => {
    for (const uploadId of uploadIds) await adoptUpload(deps, nodeId, uploadId, signal);
  });
  await jobs.work(deadNodesQueue, () => sweepDeadNodes(deps));
  await jobs.schedule(deadNodesQueue, "* * * * *", {});
}

/** At start, what a former run left staged is enqueued again. */
export async function startTransfers(deps: Deps): Promise<void> {
  const { jobs, node, store, staging } = deps;
  const queue = transferQueue(node.id);
  const running = new Map<string, Promise<void>>();
  await jobs.work(
    queue,
    async ({ uploadId }, { signal, attempt }) => {
      // The same upload may be enqueued twice (a retry by hand): the second waits for the first.
      await running.get(uploadId)?.catch(() => undefined);
      const run = transferUpload(deps, uploadId, signal, { isRetry: attempt > 1 });
      running.set(uploadId, run);
      await run.finally(() => running.delete(uploadId));
    },
    { concurrency: 2 },
  );
  await workOnPurges(deps, purgeQueue, store);
  await workOnPurges(deps, stagingPurgeQueue(node.id), staging);
  await enqueueStagedTransfers(deps);
}

async function startChecks(deps: Deps): Promise<void> {
  const { jobs } = deps;
  await jobs.work(sumSweepQueue, ({ afterId }, { signal }) => sumOldVolumes(deps, afterId, signal));
  await jobs.enqueue(sumSweepQueue, { afterId: null }, { singletonKey: "first" });
  await jobs.work(presenceQueue, (_, { signal }) => checkPresence(deps, signal));
  await jobs.schedule(presenceQueue, "13 */6 * * *", {});
  const afterStart = { singletonKey: "schedule", runAfterSeconds: PRESENCE_AFTER_SECONDS };
  await jobs.enqueue(presenceQueue, {}, afterStart);
}

/** Also of a node that others took for dead: they emptied its queue. */
export async function scheduleSweep({ jobs, node }: Pick<Deps, "jobs" | "node">): Promise<void> {
  const queue = queueOfNode(sweepQueue, node.id);
  await jobs.schedule(queue, "17 * * * *", {});
  await jobs.enqueue(queue, {});
}

/** Has everything transferred that this node still holds. */
export async function enqueueStagedTransfers({
  db,
  jobs,
  node,
}: Pick<Deps, "db" | "jobs" | "node">): Promise<void> {
  const queue = transferQueue(node.id);
  for (const uploadId of await listStagedUploads(db, node.id)) await jobs.enqueue(queue, { uploadId });
}

/** A backup that runs reads what rows named when it began: what it may still read is deleted after it. */
async function workOnPurges(
  { jobs, db }: Pick<Deps, "jobs" | "db">,
  queue: Queue<{ keys: string[] }>,
  store: ObjectStore,
): Promise<void> {
  await jobs.work(queue, async ({ keys }) => {
    const isDone = await deleteUnlessHeld(db, async () => {
      for (const key of keys) await store.delete(key);
    });
    if (!isDone) await jobs.enqueue(queue, { keys }, { runAfterSeconds: PURGE_AFTER_HOLD_SECONDS });
  });
}
