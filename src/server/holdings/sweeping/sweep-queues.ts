import { defineQueue } from "../../jobs/queue.ts";

const patient = {
  retryLimit: 500,
  retryDelaySeconds: 5,
  retryDelayMaxSeconds: 600,
  expireInSeconds: 6 * 3600,
};

/** Removes what ended uploads left on a node's own disk; each node has its queue. */
export const sweepQueue = defineQueue("uploads.sweep", { retryLimit: 1 });

/** Takes over the uploads of nodes that stopped beating. */
export const deadNodesQueue = defineQueue("nodes.sweep", {
  retryLimit: 1,
  exclusive: true,
});

/** Removes from the store what failed uploads of dead nodes put there. */
export const removalQueue = defineQueue<{ uploadIds: string[] }>("uploads.remove", patient);

/** Finishes committed uploads of a dead node. */
export const adoptionQueue = defineQueue<{ nodeId: string; uploadIds: string[] }>("uploads.adopt", patient);
