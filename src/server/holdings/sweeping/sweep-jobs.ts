import { defineQueue } from "../../jobs/queue.ts";

const patient = {
  retryLimit: 500,
  retryDelaySeconds: 5,
  retryDelayMaxSeconds: 600,
  expireInSeconds: 6 * 3600,
};

/** What ended uploads left on a node's own disk; one queue a node. */
export const sweepQueue = defineQueue<Record<never, never>>("uploads.sweep", { retryLimit: 1 });

/** What nodes recorded that stopped beating. */
export const deadNodesQueue = defineQueue<Record<never, never>>("nodes.sweep", {
  retryLimit: 1,
  exclusive: true,
});

/** Removes from the store what failed uploads of dead nodes put there. */
export const removalQueue = defineQueue<{ uploadIds: string[] }>("uploads.remove", patient);

/** Finishes what a dead node had begun with uploads it had committed. */
export const adoptionQueue = defineQueue<{ nodeId: string; uploadIds: string[] }>("uploads.adopt", patient);
