import { atom } from "jotai";
import { endOnServer } from "../send/resumable-transport.ts";
import { changeRecord, findRecord } from "../send/resume-records.ts";
import { holdRow, releaseAllRows, releaseRow } from "../send/row-locks.ts";
import { canPause, isUnderWay, type JobState, sentPercent, type UploadJob, withJobs } from "./upload-job.ts";

const jobs = atom<readonly UploadJob[]>([]);

/** The uploads of this session, oldest first. They outlive the view that began them, and end with the session. */
export const uploadJobsAtom = atom((get) => get(jobs));

/** Whether leaving the page now would end an upload. */
export const isUploadingAtom = atom((get) => get(jobs).some(isUnderWay));

/** Ids of the uploads that were sent together last. */
const shownJobIds = atom<readonly string[]>([]);

/** The upload that the upload view shows: the first of those sent last that is not done. */
export const shownJobAtom = atom((get) =>
  get(jobs).find(({ id, state }) => state.stage !== "done" && get(shownJobIds).includes(id)),
);

/**
 * Queues an upload and shows it in the upload view, with those of `before` that were sent together with it. Returns false if the queue
 * has no room for it.
 */
export const addJobAtom = atom(
  null,
  (get, set, added: UploadJob, before: readonly string[] = []): boolean => {
    const next = withJobs(get(jobs), [added]);
    if (!next) return false;
    void holdRow(added.id);
    set(jobs, next);
    set(shownJobIds, [...before, added.id]);
    return true;
  },
);

/** Changes an upload that is still in the tray; what a removed one reports late changes nothing. */
export const changeJobAtom = atom(
  null,
  (get, set, id: string, change: Partial<Pick<UploadJob, "form" | "upload">> & { state: JobState }) =>
    set(
      jobs,
      get(jobs).map((job) => (job.id === id ? { ...job, ...change } : job)),
    ),
);

/** Pauses an upload that can be paused, or lets a paused one go on where it is. */
export const pauseJobsAtom = atom(null, (_get, set, isPaused: boolean, of: readonly UploadJob[]) => {
  for (const job of of) {
    if (isPaused ? !canPause(job) : job.state.stage !== "paused") continue;
    changeRecord(job.id, { isPaused });
    const state: JobState = isPaused ? { stage: "paused", percent: sentPercent(job) } : { stage: "queued" };
    set(changeJobAtom, job.id, { state });
  }
});

/** Takes an upload out of the tray. One that is under way is cancelled, and its temporary files are removed. */
export const removeJobAtom = atom(null, (get, set, id: string) => {
  void get(jobs)
    .find((job) => job.id === id)
    ?.upload.dispose();
  void endOnServer(id);
  releaseRow(id);
  set(
    jobs,
    get(jobs).filter((job) => job.id !== id),
  );
});

/** Takes all finished uploads out of the tray. */
export const removeDoneJobsAtom = atom(null, (get, set) => {
  for (const { id, state } of get(jobs)) {
    if (state.stage !== "done") continue;
    void endOnServer(id);
    releaseRow(id);
  }
  set(
    jobs,
    get(jobs).filter(({ state }) => state.stage !== "done"),
  );
});

/** Adds uploads that an earlier page began. */
export const addRestoredAtom = atom(null, (get, set, restored: readonly UploadJob[]) => {
  const known = new Set(get(jobs).map(({ id }) => id));
  set(jobs, [...restored.filter(({ id }) => !known.has(id)), ...get(jobs)]);
});

/** Takes everything out of the tray, as at the end of the session. What can go on later keeps its files. */
export const clearJobsAtom = atom(null, (get, set) => {
  for (const { id, upload } of get(jobs)) if (!findRecord(id)) void upload.dispose();
  releaseAllRows();
  set(jobs, []);
  set(shownJobIds, []);
});
