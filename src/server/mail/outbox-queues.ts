import { defineQueue, queueOfNode } from "../jobs/queue.ts";

const sweeping = defineQueue("mail.outbox", { retryLimit: 1 });
/** Jobs that release 0.1 enqueued have no `since`. */
const forgetting = defineQueue<{ about: string; since?: string }>("mail.forget", { retryLimit: 5 });

/** Holds the outbox of a node within its limits. */
export function outboxSweepQueue(nodeId: string) {
  return queueOfNode(sweeping, nodeId);
}

/** Deletes mails of that outbox. A node that was taken for dead does it once it is back. */
export function outboxForgetQueue(nodeId: string) {
  return queueOfNode(forgetting, nodeId);
}
