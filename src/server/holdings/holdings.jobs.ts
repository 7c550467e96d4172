import type { Deps } from "../deps.ts";
import { type Queue, queueOfNode } from "../jobs/queue.ts";
import { deleteObjects } from "../storage/delete-objects.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { checkPresence } from "./checking/check-presence.ts";
import { healObject } from "./checking/heal-object.ts";
import { type AskedRereads, rereadFindings } from "./checking/reread-findings.ts";
import { sumOldVolumes } from "./checking/sum-old-volumes.ts";
import { deleteUnlessHeld } from "./deletion-hold.repo.ts";
import {
  healQueue,
  presenceQueue,
  purgeQueue,
  scrubQueue,
  stagingPurgeQueue,
  sumSweepQueue,
  transferQueue,
} from "./holding-queues.ts";
import { listStagedUploads } from "./objects/stored-objects.repo.ts";
import { createRefusedObject } from "./scrubbing/refused-object.ts";
import { takeScrubTurn } from "./scrubbing/scrub-archive.ts";
import { adoptUpload } from "./sweeping/adopt-upload.ts";
import { sweepDeadNodes } from "./sweeping/sweep-dead-nodes.ts";
import { adoptionQueue, deadNodesQueue, removalQueue, sweepQueue } from "./sweeping/sweep-queues.ts";
import { endDeadUploads, sweepUploads } from "./sweeping/sweep-uploads.ts";
import { transferUpload } from "./transfer/transfer-upload.ts";
import { removeAbandonedBytes } from "./uploads/abandon-upload.ts";

/** The time after which a held deletion is tried again. */
const PURGE_AFTER_HOLD_SECONDS = 60;
/** The first check waits until the start is over. */
const PRESENCE_AFTER_SECONDS = 300;

/**
 * Gives up uploads that a former run was receiving, then sweeps, transfers, deletes and checks bytes in the background. Objects
 * that a former run left staged are enqueued again.
 */
export async function startHoldingJobs(deps: Deps): Promise<void> {
  await startSweeping(deps);
  await startTransfers(deps);
  await startChecks(deps);
  await startScrubbing(deps);
}

/**
 * Sweeps now and hourly, in the background, since an unreachable store must not keep the server from starting. Every minute one
 * node takes over from dead ones.
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

/** Starts transfers and deletions, and enqueues transfers of objects that a former run left staged. */
export async function startTransfers(deps: Deps): Promise<void> {
  await workOnPurges(deps, purgeQueue, deps.store);
  await startOwnJobs(deps);
}

/** Works only on what this node alone can do: to empty its staging area, and to heal what it has a copy of. */
export async function startOwnJobs(deps: Deps): Promise<void> {
  const { jobs, node, staging, bursts } = deps;
  const running = new Map<string, Promise<void>>();
  await jobs.work(
    transferQueue(node.id),
    async ({ uploadId }, { signal, attempt, enqueuedAt }) => {
      await bursts.letPass({ enqueuedAt, signal }, deps.clock.now());
      // The same upload may be enqueued twice (by a manual retry), so the second job waits for the first.
      await running.get(uploadId)?.catch(() => undefined);
      const run = transferUpload(deps, uploadId, signal, { isRetry: attempt > 1 });
      running.set(uploadId, run);
      await run.finally(() => running.delete(uploadId));
    },
    { concurrency: 2 },
  );
  await workOnPurges(deps, stagingPurgeQueue(node.id), staging);
  await jobs.work(healQueue(node.id), async (object, { signal }) => {
    await healObject(deps, object, signal);
  });
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

/** Each minute one node reads the part of the archive that is due, and recent damage again. */
async function startScrubbing(deps: Deps): Promise<void> {
  const { jobs } = deps;
  const refused = createRefusedObject();
  const asked: AskedRereads = new Map();
  await jobs.work(scrubQueue, async (_, { signal }) => {
    await rereadFindings(deps, asked);
    await takeScrubTurn(deps, signal, refused);
  });
  await jobs.schedule(scrubQueue, "* * * * *", {});
}

/** Schedules this node's sweep, also after other nodes took it for dead and emptied its queue. */
export async function scheduleSweep({ jobs, node }: Pick<Deps, "jobs" | "node">): Promise<void> {
  const queue = queueOfNode(sweepQueue, node.id);
  await jobs.schedule(queue, "17 * * * *", {});
  await jobs.enqueue(queue, {});
}

/** Enqueues transfers of everything that this node still holds. */
export async function enqueueStagedTransfers({
  db,
  jobs,
  node,
}: Pick<Deps, "db" | "jobs" | "node">): Promise<void> {
  const queue = transferQueue(node.id);
  for (const uploadId of await listStagedUploads(db, node.id)) await jobs.enqueue(queue, { uploadId });
}

/** Works on deletions; while a backup runs, they wait, since it reads objects that rows named when it began. */
async function workOnPurges(
  { jobs, db }: Pick<Deps, "jobs" | "db">,
  queue: Queue<{ keys: string[] }>,
  store: ObjectStore,
): Promise<void> {
  await jobs.work(queue, async ({ keys }) => {
    const isDone = await deleteUnlessHeld(db, () => deleteObjects(store, keys));
    if (!isDone) await jobs.enqueue(queue, { keys }, { runAfterSeconds: PURGE_AFTER_HOLD_SECONDS });
  });
}
