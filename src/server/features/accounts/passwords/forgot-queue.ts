import { defineQueue } from "../../../jobs/queue.ts";

/** Requests for a reset link, sealed because they name a person's address. */
export const forgotQueue = defineQueue<{ sealed: string }>("auth.forgot", {
  retryLimit: 10,
});
