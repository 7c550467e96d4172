import { defineQueue } from "../../jobs/queue.ts";

/** Pseudonymises the audit rows of a deleted account after row `after`. What is done already costs a look only. */
export const pseudonymiseQueue = defineQueue<{ accountId: string; after: number }>("audit.pseudonymise", {
  retryLimit: 40,
  expireInSeconds: 6 * 3600,
});
