import { defineQueue } from "../../../jobs/queue.ts";

/** Requests for a reset link, sealed: the address they name is nobody else's business. */
export const forgotQueue = defineQueue<{ sealed: string }>("auth.forgot", {
  retryLimit: 10,
  keepDoneSeconds: 3600,
});
