import type { StudyStatus } from "../../../../shared/api/studies.ts";

const FIRST_POLL_MS = 2_000;
const NEXT_POLL_MS = 3_000;
const LEAVE_WHEN_READY_MS = 1_000;
const LEAVE_WHEN_SENT_MS = 1_500;
const LEAVE_WHEN_FAILED_MS = 2_000;
/** Half an hour; after that the list keeps polling. */
const MAX_POLLS = 600;
/** Limit for one upload; the list shows the state of the other studies. */
const MAX_FOLLOWED_STUDIES = 50;

/** News of a finished upload that the person is told. */
export type UploadNews = "transferring" | "transferred" | "ready" | "sent" | "transferFailed";

/** Undefined if the status could not be read. */
export type ReadStatus = StudyStatus | undefined;

/** What to do after an attempt to read the status: poll again, or go to the list. */
export interface NextStep {
  news?: UploadNews;
  next: "poll" | "leave";
  afterMs: number;
}

/**
 * The first study of an upload sets the pace. The other studies make news only if their transfer fails.
 * @param pollsDone 0 for the status read right after the upload
 */
function nextStep([first, ...others]: readonly ReadStatus[], pollsDone: number): NextStep {
  if ([first, ...others].some(hasFailed)) {
    return { news: "transferFailed", next: "leave", afterMs: LEAVE_WHEN_FAILED_MS };
  }
  if (!first) return { next: "leave", afterMs: LEAVE_WHEN_FAILED_MS };
  if (pollsDone === 0) return firstStep(first);
  if (first.isReady) return { news: "transferred", next: "leave", afterMs: LEAVE_WHEN_READY_MS };
  if (pollsDone >= MAX_POLLS) return { next: "leave", afterMs: LEAVE_WHEN_FAILED_MS };
  return { next: "poll", afterMs: NEXT_POLL_MS };
}

function firstStep({ status, isReady }: StudyStatus): NextStep {
  if (status === "transferring") return { news: "transferring", next: "poll", afterMs: FIRST_POLL_MS };
  return { news: isReady ? "ready" : "sent", next: "leave", afterMs: LEAVE_WHEN_SENT_MS };
}

/** The state of an upload's studies at the moment of a piece of news. */
export interface StudiesState {
  failed: number;
  /** How many studies besides the first are not ready yet. */
  othersPending: number;
}

export interface FollowOptions {
  /** Ids in the order of the upload's answer. */
  studyIds: readonly string[];
  readStatus: (studyId: string) => Promise<ReadStatus>;
  announce: (news: UploadNews, standing: StudiesState) => void;
  leave: () => void;
  /** Resolves after the given time, or rejects with the signal's reason. */
  wait: (ms: number) => Promise<void>;
}

/** Follows the studies of an upload until the first is ready or one has failed, and then goes to the list. */
export async function followUpload({ studyIds, ...options }: FollowOptions): Promise<void> {
  const { readStatus, announce, leave, wait } = options;
  const followed = studyIds.slice(0, MAX_FOLLOWED_STUDIES);
  let statuses: ReadStatus[] = [];
  for (let polls = 0; ; polls++) {
    const before = statuses;
    statuses = await Promise.all(
      followed.map((id, place) => (before[place]?.isReady ? before[place] : readStatus(id))),
    );
    const step = nextStep(statuses, polls);
    if (step.news) announce(step.news, studiesStateOf(statuses));
    await wait(step.afterMs);
    if (step.next === "poll") continue;
    leave();
    return;
  }
}

function studiesStateOf(statuses: readonly ReadStatus[]): StudiesState {
  return {
    failed: statuses.filter(hasFailed).length,
    othersPending: statuses.slice(1).filter((status) => !status?.isReady && !hasFailed(status)).length,
  };
}

function hasFailed(status: ReadStatus): boolean {
  return status?.status === "error";
}
