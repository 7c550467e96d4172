import { defineQueue } from "../../jobs/queue.ts";

/** Makes the missing pictures of a study. */
export const thumbnailQueue = defineQueue<{ studyId: string }>("thumbnails.make", { retryLimit: 20 });

/** Looks for archived studies without pictures, one batch after `afterStudyId`. */
export const thumbnailSweepQueue = defineQueue<{ afterStudyId: string | null }>("thumbnails.sweep");

/** Draws the pictures of a study anew; at most one job per study. A queue of its own, so that no new study waits for old ones. */
export const redrawQueue = defineQueue<{ studyId: string }>("thumbnails.redraw", {
  exclusive: true,
  retryLimit: 20,
});
