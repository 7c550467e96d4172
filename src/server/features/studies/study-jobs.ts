import { defineQueue } from "../../jobs/queue.ts";

/** Reads all objects of a study again and records its integrity. */
export const checkStudyQueue = defineQueue<{ studyId: string }>("integrity.check", {
  exclusive: true,
  expireInSeconds: 12 * 3600,
});
