import { defineQueue } from "../../jobs/queue.ts";

/** Makes the missing pictures of a study. */
export const thumbnailQueue = defineQueue<{ studyId: string }>("thumbnails.make", { retryLimit: 20 });

/** Looks for archived studies without pictures, one batch after `afterStudyId`. */
export const thumbnailSweepQueue = defineQueue<{ afterStudyId: string | null }>("thumbnails.sweep");
