import { defineQueue, queueOfNode } from "../jobs/queue.ts";

const hour = 3600;
/** A dead process is found by its heartbeat; the limit of hours is for 2 GB over a slow line. */
const patient = {
  retryLimit: 500,
  retryDelaySeconds: 5,
  retryDelayMaxSeconds: 600,
  expireInSeconds: 12 * hour,
};

const transfers = defineQueue<{ uploadId: string }>("transfer", patient);
const stagingPurges = defineQueue<{ keys: string[] }>("staging.purge", patient);

/** Moves an upload's objects to the archive store; each node has its queue, since it holds the bytes. */
export function transferQueue(nodeId: string) {
  return queueOfNode(transfers, nodeId);
}

/** Deletes objects from a node's staging area. */
export function stagingPurgeQueue(nodeId: string) {
  return queueOfNode(stagingPurges, nodeId);
}

/** Deletes objects from the archive store. */
export const purgeQueue = defineQueue<{ keys: string[] }>("storage.purge", patient);

/** Tells the admin that a study (null: a laboratory PDF) can't be shown. */
export const damageNoticeQueue = defineQueue<{ studyId: string | null; found: "damaged" | "missing" }>(
  "integrity.tell",
);

/** Reads whole volumes of older releases, one batch after `afterId`, so that their pieces can be checked. */
export const sumSweepQueue = defineQueue<{ afterId: string | null }>("integrity.sums", {
  exclusive: true,
  expireInSeconds: 12 * hour,
});

/** Checks that every object is where the database says, without reading any; one node at a time. */
export const presenceQueue = defineQueue<Record<never, never>>("integrity.presence", {
  exclusive: true,
  retryDelaySeconds: 60,
  expireInSeconds: 12 * hour,
});
