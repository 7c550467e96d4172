import type { UploadAnswer } from "../../../../shared/api/upload.ts";
import type { ExamForm } from "../exam-form/exam-form.ts";
import { transportFor } from "../send/choose-transport.ts";
import { percentOf, type Ready, type Transfer } from "../upload-state.ts";

/** Why an upload stopped; `text` is the server's message. */
export type Interruption =
  | { kind: "connection" }
  /** The browser no longer has the file, so the person picks it again; `isOther`: they picked another one. */
  | { kind: "file"; isOther: boolean }
  /** A newer release has replaced the code that sends; the page that is loaded instead goes on with it. */
  | { kind: "outdated"; text: string }
  | { kind: "storage"; text: string }
  /** `isFinal`: the same bytes are refused again. */
  | { kind: "refused"; text: string; isFinal?: boolean };

/** Codes of refusals that are about the bytes themselves. */
const FINAL: ReadonlySet<string> = new Set([
  "upload.not_zip",
  "upload.too_large",
  "upload.unreadable",
  "upload.too_complex",
  "upload.series_too_large",
  "upload.no_dicom",
]);

/** Why the server did not take an upload, by the code and the text of its problem. */
export function refusalOf(code: string | undefined, text: string): Interruption {
  if (code === "quota.bytes") return { kind: "storage", text };
  return { kind: "refused", text, ...(code !== undefined && FINAL.has(code) && { isFinal: true }) };
}

/** Whether another try can't help. */
export function isFinal(interruption: Interruption): boolean {
  return interruption.kind === "refused" && interruption.isFinal === true;
}

/** Whether the same may be tried again as it is. */
export function canTryAgain(interruption: Interruption): boolean {
  return interruption.kind !== "file" && interruption.kind !== "outdated" && !isFinal(interruption);
}

/** Whether the person can do what it takes, rather than only try again. */
export function isAnswerable({ kind }: Interruption): boolean {
  return kind === "file" || kind === "outdated" || kind === "storage";
}

export type JobState =
  | { stage: "queued" }
  | { stage: "sending"; transfer: Transfer }
  | { stage: "paused"; percent: number }
  | { stage: "stopped"; percent: number; interruption: Interruption }
  | { stage: "done"; answer: UploadAnswer };

/** An upload in the tray: what is sent, under which values, and how far it is. */
export interface UploadJob extends Ready {
  id: string;
  form: ExamForm;
  state: JobState;
  /** What the server has of an upload that an earlier page began. */
  known?: { sizeBytes: number; isWhole: boolean };
}

/** More uploads are not queued at once; one that is done gives way to a new one. */
const MAX_JOBS = 20;

function isUnfinished({ state }: UploadJob): boolean {
  return state.stage !== "done";
}

/** Whether bytes of it are going, or will go without the person. */
export function isUnderWay({ state }: UploadJob): boolean {
  return state.stage === "queued" || state.stage === "sending";
}

/** Whether it waits or can go on where it is stopped, so that it can be paused. */
export function canPause(job: UploadJob): boolean {
  if (job.state.stage === "queued") return !job.known?.isWhole;
  return job.state.stage === "sending" && transportFor(sizeOf(job)).resumes && sentPercent(job) < 100;
}

/** How many more can be queued. */
export function freePlaces(jobs: readonly UploadJob[]): number {
  return MAX_JOBS - jobs.filter(isUnfinished).length;
}

/** The jobs with others at the end; undefined if there is no room for all of them. */
export function withJobs(
  jobs: readonly UploadJob[],
  added: readonly UploadJob[],
): readonly UploadJob[] | undefined {
  if (added.length > freePlaces(jobs)) return undefined;
  let surplus = jobs.length + added.length - MAX_JOBS;
  return [...jobs.filter((job) => isUnfinished(job) || surplus-- <= 0), ...added];
}

/** Its bytes, also where the browser does not have them any more. */
export function sizeOf({ known, upload }: UploadJob): number {
  return known?.sizeBytes ?? upload.zip.size;
}

/** How much of the job was sent, in per cent. */
export function sentPercent({ state }: UploadJob): number {
  if (state.stage === "sending") return percentOf(state.transfer);
  if (state.stage === "stopped" || state.stage === "paused") return state.percent;
  return state.stage === "done" ? 100 : 0;
}

/** How much of all jobs was sent that are not stopped, in per cent of their bytes. */
export function totalPercent(jobs: readonly UploadJob[]): number {
  const moving = jobs.filter(({ state }) => state.stage !== "stopped");
  const totalBytes = moving.reduce((sum, job) => sum + sizeOf(job), 0);
  const sentBytes = moving.reduce((sum, job) => sum + (sizeOf(job) * sentPercent(job)) / 100, 0);
  return totalBytes > 0 ? Math.floor((100 * sentBytes) / totalBytes) : 0;
}
