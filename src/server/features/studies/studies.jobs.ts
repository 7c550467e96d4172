import type { Deps } from "../../deps.ts";
import { checkPresence } from "../../holdings/checking/check-presence.ts";
import { sumOldVolumes } from "../../holdings/checking/sum-old-volumes.ts";
import { deleteUnlessHeld } from "../../holdings/deletion-hold.repo.ts";
import {
  checkStudyQueue,
  damageNoticeQueue,
  presenceQueue,
  purgeQueue,
  stagingPurgeQueue,
  sumSweepQueue,
  transferQueue,
} from "../../holdings/holding-jobs.ts";
import { listStagedUploads } from "../../holdings/objects/stored-objects.repo.ts";
import { transferUpload } from "../../holdings/transfer/transfer-upload.ts";
import type { Queue } from "../../jobs/queue.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { checkStudy } from "./check-study.ts";
import { tellDamage } from "./tell-damage.ts";

/** How often a deletion looks whether a backup is over. */
const PURGE_AFTER_HOLD_SECONDS = 60;
/** A start has better to do. */
const PRESENCE_AFTER_SECONDS = 300;

/** Transfers, deletions and checks of bytes. At start, what a former run left staged is enqueued again. */
export async function startStudyJobs(deps: Deps): Promise<void> {
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
  await jobs.work(checkStudyQueue, ({ studyId }, { signal }) => checkStudy(deps, studyId, signal));
  await jobs.work(sumSweepQueue, ({ afterId }, { signal }) => sumOldVolumes(deps, afterId, signal));
  await jobs.work(damageNoticeQueue, (damage) => tellDamage(deps, damage));
  await jobs.enqueue(sumSweepQueue, { afterId: null }, { singletonKey: "first" });
  await jobs.work(presenceQueue, (_, { signal }) => checkPresence(deps, signal));
  await jobs.schedule(presenceQueue, "13 */6 * * *", {});
  const afterStart = { singletonKey: "schedule", runAfterSeconds: PRESENCE_AFTER_SECONDS };
  await jobs.enqueue(presenceQueue, {}, afterStart);
  await enqueueStagedTransfers(deps);
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
