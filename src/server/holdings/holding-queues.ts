import { defineQueue, queueOfNode } from "../jobs/queue.ts";
import type { KeptObject } from "./objects/kept-object.ts";

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

/** Reads all objects of a study again and records its integrity. */
export const checkStudyQueue = defineQueue<{ studyId: string }>("integrity.check", {
  exclusive: true,
  expireInSeconds: 12 * hour,
});

/** As {@link checkStudyQueue}, on the node that holds some of the study's bytes. */
export function nodeCheckQueue(nodeId: string) {
  return queueOfNode(checkStudyQueue, nodeId);
}

/** Reads a laboratory PDF again and records its integrity. */
export const checkLabExamQueue = defineQueue<{ labExamId: string }>("integrity.check-lab", {
  exclusive: true,
});

/** `key` is absent from jobs of older releases. */
const healing = defineQueue<Pick<KeptObject, "kind"> & { objectId: string; key?: string }>("integrity.heal", {
  exclusive: true,
  expireInSeconds: 12 * hour,
});

/** Replaces a damaged object by the copy that a node has of it, if it has one. */
export function healQueue(nodeId: string) {
  return queueOfNode(healing, nodeId);
}

/** Reads the next part of the archive; one node at a time. A turn that a dead process or database cut off is taken again. */
export const scrubQueue = defineQueue("integrity.scrub", {
  exclusive: true,
  expireInSeconds: 12 * hour,
});

/** Reads whole volumes of older releases, one batch after `afterId`, so that their pieces can be checked. */
export const sumSweepQueue = defineQueue<{ afterId: string | null }>("integrity.sums", {
  exclusive: true,
  expireInSeconds: 12 * hour,
});

/** Checks that every object is where the database says, without reading any; one node at a time. */
export const presenceQueue = defineQueue("integrity.presence", {
  exclusive: true,
  retryDelaySeconds: 60,
  expireInSeconds: 12 * hour,
});

/** Makes the copies that series of a study lack. Nobody waits for it. */
export const derivativeQueue = defineQueue<{ studyId: string }>("derivatives.make", {
  exclusive: true,
  retryLimit: 5,
  retryDelaySeconds: 60,
  expireInSeconds: 12 * hour,
});
