import { defineQueue } from "../../jobs/queue.ts";

/** Purges due removals. Enqueued for the end of each grace time, and hourly for what was missed. */
export const purgeRemovalsQueue = defineQueue("removals.purge");

/** Warns accounts whose subscription ended long ago, and removes their exams. */
export const lapseQueue = defineQueue("removals.lapse", { retryLimit: 1 });
