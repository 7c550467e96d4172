import type { ByteSource } from "../../../../shared/dicom/reading/instance.ts";
import { judgeInstance } from "../../ingest/worker/judge-instance.ts";
import type { SkippedReason } from "../../ingest/worker/worker-messages.ts";

/** A file on this machine. */
export interface JudgeRequest {
  path: string;
  sizeBytes: number;
}

/** Which instance a file is, or why it can't be kept. */
export type Verdict =
  | {
      ok: true;
      sopInstanceUID: string;
      sopClassUID: string;
      studyInstanceUID: string;
      seriesInstanceUID: string;
    }
  | { ok: false; reason: SkippedReason };

/** Reads a file as every way in does. */
export function judgeFile(source: ByteSource): Verdict {
  const judged = judgeInstance(source);
  if (!judged.ok) return { ok: false, reason: judged.reason };
  const { sopInstanceUID, sopClassUID, studyInstanceUID, seriesInstanceUID } = judged.instance;
  return { ok: true, sopInstanceUID, sopClassUID, studyInstanceUID, seriesInstanceUID };
}
