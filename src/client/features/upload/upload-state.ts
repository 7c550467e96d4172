import type { PreparationProgress, PreparedUpload, UploadProblem } from "./prepare-upload.ts";
import type { TransferReading } from "./send/transfer-meter.ts";

/** The five beats that are shown, in order. */
export const phases = ["extracting", "validating", "filtering", "uploading", "processing"] as const;
export type Phase = (typeof phases)[number];

export interface PickedSource {
  kind: "zip" | "folder";
  name: string;
  sizeBytes: number;
}

export interface FileCounts {
  total?: number;
  kept?: number;
  /** How many were looked into, and how many exams were found in them. */
  read?: number;
  studies?: number;
}

export interface Transfer extends TransferReading {
  loadedBytes: number;
  totalBytes: number;
  /** Whether no byte has gone for longer than this line's pauses. */
  isStalled?: boolean;
}

/**
 * The stage of the upload view. While nothing is picked, `problem` says why the last pick was refused. It is sending while it
 * shows an upload of the tray.
 */
export type UploadState = Draft | ({ stage: "sending"; transfer: Transfer } & Ready);

/** What the person has picked and not sent yet. */
export type Draft =
  | { stage: "idle"; problem?: UploadProblem }
  | { stage: "preparing"; source: PickedSource; phase: Phase; counts: FileCounts }
  | ({ stage: "ready" } & Ready);

/** Files that can be sent. */
export interface Ready {
  upload: PreparedUpload;
  source: PickedSource;
  counts: FileCounts;
}

export type DraftEvent =
  | { type: "picked"; source: PickedSource }
  | { type: "prepared"; upload: PreparedUpload }
  | { type: "progressed"; progress: PreparationProgress }
  | { type: "refused"; problem: UploadProblem }
  | { type: "reset" };

/** Events that don't fit the stage, such as late ones of a cancelled upload, change nothing. */
export function reduceDraft(state: Draft, event: DraftEvent): Draft {
  switch (event.type) {
    case "picked":
      return { stage: "preparing", source: event.source, phase: "extracting", counts: {} };
    case "progressed":
      return state.stage === "preparing" ? { ...state, ...progressOf(event.progress, state.counts) } : state;
    case "prepared":
      return state.stage === "preparing" ? readyState(state.source, event.upload) : state;
    case "refused":
      return { stage: "idle", problem: event.problem };
    case "reset":
      return { stage: "idle" };
  }
}

/** The current beat; undefined while the form waits for the person. */
export function currentPhase(state: UploadState): Phase | undefined {
  if (state.stage === "preparing") return state.phase;
  if (state.stage === "sending") return isSent(state.transfer) ? "processing" : "uploading";
  return undefined;
}

/** How many beats are complete. */
export function phasesDone(state: UploadState): number {
  const current = currentPhase(state);
  if (current) return phases.indexOf(current);
  return state.stage === "ready" ? phases.indexOf("uploading") : 0;
}

export function percentOf({ loadedBytes, totalBytes }: Transfer): number {
  return totalBytes > 0 ? Math.min(100, Math.floor((loadedBytes / totalBytes) * 100)) : 0;
}

export function isSent({ loadedBytes, totalBytes }: Transfer): boolean {
  return totalBytes > 0 && loadedBytes >= totalBytes;
}

function readyState(source: PickedSource, upload: PreparedUpload): Draft {
  return {
    stage: "ready",
    upload,
    source: { ...source, sizeBytes: upload.zip.size },
    counts: { total: upload.fileCount, kept: upload.keptCount },
  };
}

function progressOf(progress: PreparationProgress, counts: FileCounts) {
  if (progress.phase === "extracting") return { phase: progress.phase };
  if (progress.phase === "validating") {
    const { total, loaded, studies } = progress;
    return { phase: progress.phase, counts: { total, read: loaded, studies } };
  }
  return { phase: progress.phase, counts: { ...counts, kept: progress.loaded } };
}
