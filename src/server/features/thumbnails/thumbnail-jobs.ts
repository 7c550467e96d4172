import { defineQueue } from "../../jobs/queue.ts";

/** Makes what is missing of a study's pictures. */
export const thumbnailQueue = defineQueue<{ studyId: string }>("thumbnails.make", { retryLimit: 20 });

/** Looks for archived studies without pictures, a batch of them behind `afterStudyId`. */
export const thumbnailSweepQueue = defineQueue<{ afterStudyId: string | null }>("thumbnails.sweep");
