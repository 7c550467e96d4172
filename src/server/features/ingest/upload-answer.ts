import type { UploadAnswer } from "../../../shared/api/upload.ts";
import type { TakenUpload } from "./finished-upload.ts";
import { instancesIn } from "./take-upload.ts";
import { DEFAULT_INGEST_LIMITS } from "./worker/ingest-limits.ts";

const MAX_CONFLICT_NAMES = 1000;

/** What the sender of an upload is told. The lists are bounded; their counts are whole. */
export function answerOf({ studies, scan, built }: TakenUpload): UploadAnswer {
  const leftOut = built.studies.flatMap((study) => study.leftOut);
  const conflicts = built.studies.flatMap((study) => study.conflicts);
  return {
    studyInstanceUID: studies[0]?.studyInstanceUID ?? "",
    studies,
    instancesReceived: instancesIn(studies),
    skipped: [...scan.skipped, ...leftOut].slice(0, DEFAULT_INGEST_LIMITS.maxSkippedNames),
    skippedCount: scan.skippedCount + leftOut.length,
    conflicts: conflicts.slice(0, MAX_CONFLICT_NAMES),
    conflictCount: conflicts.length,
  };
}
