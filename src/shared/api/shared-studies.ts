import * as z from "zod/mini";
import type { Call } from "./call.ts";
import { studySchema } from "./studies.ts";

/** A study that somebody else lets the caller see. */
export const sharedStudySchema = z.object({
  study: studySchema,
  sharedAt: z.string(),
  /** When the caller last opened its images or its report; null if they never did. */
  seenAt: z.nullable(z.string()),
});
export type SharedStudy = z.infer<typeof sharedStudySchema>;

/** The most of each kind that a home view is given. */
export const MAX_HOME_STUDIES = 6;

export const sharedWithMeSchema = z.object({
  /** How many studies others let the caller see. */
  total: z.number(),
  /** How many of them the caller has never opened. */
  freshTotal: z.number(),
  /** Those that were shared last, of the ones never opened. */
  fresh: z.array(sharedStudySchema),
  /** Those that were opened last. */
  seen: z.array(sharedStudySchema),
  /** Those whose owner asks the caller for a report, and that have none yet. */
  awaiting: z.array(sharedStudySchema),
});
export type SharedWithMe = z.infer<typeof sharedWithMeSchema>;

/** What others share with the caller, as far as a home view shows it. */
export const sharedWithMeCall = {
  method: "GET",
  path: "/api/shared-with-me",
  answer: sharedWithMeSchema,
} as const satisfies Call;
