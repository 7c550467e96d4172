import type { ResumableUploadState } from "../../../../shared/api/resumable.ts";
import { ApiError } from "../../../calls/api.ts";
import { EMPTY_FORM } from "../exam-form/exam-form.ts";
import { reopenPacked } from "../pack-folder/reopen-packed.ts";
import { backOffMs, waitOrOnline } from "../send/back-off.ts";
import { readUpload } from "../send/resumable-transport.ts";
import { forgetRecord, listRecords, type ResumeRecord, serverIdOf } from "../send/resume-records.ts";
import { holdRow, releaseRow } from "../send/row-locks.ts";
import { type JobState, refusalOf, type UploadJob } from "./upload-job.ts";

/** The uploads that earlier pages queued for this person, as far as no page has them in its tray. Waits for the server. */
export async function restoreJobs(
  userId: string,
  { signal, isHere }: { signal: AbortSignal; isHere: (id: string) => boolean },
): Promise<UploadJob[]> {
  const jobs: UploadJob[] = [];
  for (const record of listRecords(userId)) {
    if (isHere(record.id) || !(await holdRow(record.id))) continue;
    const upload = await readPatiently(record, signal);
    if (upload) jobs.push(await jobOf(record, upload));
    else {
      forgetRecord(record.id);
      releaseRow(record.id);
    }
  }
  return jobs;
}

/** Undefined if the server has it no more. */
async function readPatiently(
  record: ResumeRecord,
  signal: AbortSignal,
): Promise<ResumableUploadState | undefined> {
  for (let failures = 1; ; failures++) {
    try {
      return await readUpload(serverIdOf(record.id), signal);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      if (!(error instanceof ApiError) || (error.status > 0 && error.status < 500)) throw error;
      await waitOrOnline(backOffMs(failures), signal);
    }
  }
}

async function jobOf(record: ResumeRecord, upload: ResumableUploadState): Promise<UploadJob> {
  const { filename: name, sizeBytes } = upload;
  const { packedName } = record;
  const isWanted = upload.state === "receiving" && packedName !== undefined;
  const packed = isWanted ? await reopenPacked(packedName, record.sizeBytes) : undefined;
  return {
    id: record.id,
    form: EMPTY_FORM,
    source: { kind: record.kind, name, sizeBytes },
    counts: {},
    known: { sizeBytes, isWhole: upload.state !== "receiving" },
    upload: {
      zip: packed?.zip ?? new Blob(),
      fileName: name,
      prefilled: undefined,
      fileCount: undefined,
      keptCount: undefined,
      films: [],
      contents: undefined,
      dispose: packed?.dispose ?? (async () => {}),
    },
    state: stateOf(record, upload, packed !== undefined),
  };
}

function stateOf({ isPaused }: ResumeRecord, upload: ResumableUploadState, hasFile: boolean): JobState {
  const percent = Math.floor((100 * upload.offset) / upload.sizeBytes);
  if (upload.state === "done" && upload.result) return { stage: "done", answer: upload.result };
  if (upload.state === "failed") {
    const { code, message = "" } = upload.problem ?? {};
    return { stage: "stopped", percent, interruption: refusalOf(code, message) };
  }
  if (upload.state === "receiving" && !hasFile)
    return { stage: "stopped", percent, interruption: { kind: "file", isOther: false } };
  return isPaused ? { stage: "paused", percent } : { stage: "queued" };
}
