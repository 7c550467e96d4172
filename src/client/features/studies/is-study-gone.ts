import { ApiError } from "../../calls/api.ts";

/** The server's code for a study that does not exist any more, or no longer for this person. */
export const STUDY_GONE = "study.not_found";

/** Whether a call failed because its study does not exist any more, or no longer for this person. */
export function isStudyGone(failure: unknown): boolean {
  return failure instanceof ApiError && failure.code === STUDY_GONE;
}
