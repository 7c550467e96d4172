import { ApiError } from "../../api.ts";

/** Whether a call failed because its study does not exist any more, or no longer for this person. */
export function isStudyGone(failure: unknown): boolean {
  return failure instanceof ApiError && failure.code === "study.not_found";
}
