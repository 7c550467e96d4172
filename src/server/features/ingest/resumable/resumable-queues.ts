import { defineQueue } from "../../../jobs/queue.ts";

/** Takes in an upload that is whole. */
export const finishQueue = defineQueue<{ uploadId: string }>("uploads.finish", {
  exclusive: true,
  retryLimit: 40,
  retryDelaySeconds: 1,
  retryDelayMaxSeconds: 60,
  expireInSeconds: 6 * 3600,
});

/** Ends uploads that expired, and removes the bytes of those that need them no more; one node at a time. */
export const resumableSweepQueue = defineQueue("uploads.resumable-sweep", {
  exclusive: true,
  retryLimit: 1,
});
