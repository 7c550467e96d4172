/** To the process that judges files: one on this machine. */
export interface JudgeRequest {
  path: string;
  sizeBytes: number;
}

/** The request to a new process before its first file. */
export const READY = "ready";
