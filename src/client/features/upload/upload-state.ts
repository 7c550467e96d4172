import type { PreparedUpload } from "./prepare-upload.ts";
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
  total?: number | undefined;
  kept?: number | undefined;
}

export interface Transfer extends TransferReading {
  loadedBytes: number;
  totalBytes: number;
  /** Whether no byte has gone for longer than this line's pauses. */
  isStalled?: boolean;
  /** Whether that is because the server, which was reached, can't take them now. */
  isServerAway?: boolean;
  /** Whether the server has all of it, and no room to take it in. */
  waitsForRoom?: boolean;
}

/** An upload as the upload view shows it: it waits for the person, or it goes. */
export type UploadState = ({ stage: "ready" } & Ready) | ({ stage: "sending"; transfer: Transfer } & Ready);

/** Files that can be sent. */
export interface Ready {
  upload: PreparedUpload;
  source: PickedSource;
  counts: FileCounts;
}

/** The current beat; undefined while it waits for the person. */
export function currentPhase(state: UploadState): Phase | undefined {
  if (state.stage === "ready") return undefined;
  return isSent(state.transfer) ? "processing" : "uploading";
}

/** How many beats are complete. */
export function phasesDone(state: UploadState): number {
  return phases.indexOf(currentPhase(state) ?? "uploading");
}

export function percentOf({ loadedBytes, totalBytes }: Transfer): number {
  return totalBytes > 0 ? Math.min(100, Math.floor((loadedBytes / totalBytes) * 100)) : 0;
}

export function isSent({ loadedBytes, totalBytes }: Transfer): boolean {
  return totalBytes > 0 && loadedBytes >= totalBytes;
}
