import type { StudyStatus } from "../../../shared/api/studies.ts";

const FIRST_POLL_MS = 2_000;
const NEXT_POLL_MS = 3_000;
const LEAVE_WHEN_READY_MS = 1_000;
const LEAVE_WHEN_SENT_MS = 1_500;
const LEAVE_WHEN_FAILED_MS = 2_000;
/** Half an hour; the list goes on asking after that. */
const MAX_POLLS = 600;

/** What is worth telling about a study just uploaded. */
export type UploadNews = "transferring" | "transferred" | "ready" | "sent" | "transferFailed";

/** What to do after the study's status was read, or could not be: ask again, or go to the list. */
export interface NextStep {
  news?: UploadNews;
  next: "poll" | "leave";
  afterMs: number;
}

/** @param pollsDone 0 for the status read right after the upload */
export function nextStep(status: StudyStatus | undefined, pollsDone: number): NextStep {
  if (!status) return { next: "leave", afterMs: LEAVE_WHEN_FAILED_MS };
  if (status.status === "error") {
    return { news: "transferFailed", next: "leave", afterMs: LEAVE_WHEN_FAILED_MS };
  }
  if (pollsDone === 0) return firstStep(status);
  if (status.isReady) return { news: "transferred", next: "leave", afterMs: LEAVE_WHEN_READY_MS };
  if (pollsDone >= MAX_POLLS) return { next: "leave", afterMs: LEAVE_WHEN_FAILED_MS };
  return { next: "poll", afterMs: NEXT_POLL_MS };
}

function firstStep({ status, isReady }: StudyStatus): NextStep {
  if (status === "transferring") return { news: "transferring", next: "poll", afterMs: FIRST_POLL_MS };
  return { news: isReady ? "ready" : "sent", next: "leave", afterMs: LEAVE_WHEN_SENT_MS };
}

export interface FollowOptions {
  /** The study's status, or undefined where it could not be read. */
  readStatus: () => Promise<StudyStatus | undefined>;
  announce: (news: UploadNews) => void;
  leave: () => void;
  /** Resolves after that time, or rejects with the signal's reason. */
  wait: (ms: number) => Promise<void>;
}

/** Follows a study from its upload to the list. */
export async function followUpload({ readStatus, announce, leave, wait }: FollowOptions): Promise<void> {
  for (let polls = 0; ; polls++) {
    const step = nextStep(await readStatus(), polls);
    if (step.news) announce(step.news);
    await wait(step.afterMs);
    if (step.next === "poll") continue;
    leave();
    return;
  }
}
