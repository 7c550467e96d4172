import { useRef, useState } from "react";
import type { Study } from "../../../../shared/api/studies.ts";
import { ApiError } from "../../../calls/api.ts";
import { failureText } from "../../../calls/failure-text.ts";
import { useStay } from "../../places/use-stay.ts";
import { isStudyGone } from "../../studies/is-study-gone.ts";

/** An exam that an action left as it was, and why. */
export interface LeftExam {
  id: string;
  message: string;
  /** It was deleted meanwhile, or is no longer shared, so that no further run can do anything with it. */
  isGone?: boolean;
}

export interface BulkProgress {
  done: number;
  total: number;
}

/** Acts on one exam after the other, and says which ones it left. */
export interface BulkJob {
  /** Defined while it runs. */
  progress: BulkProgress | undefined;
  /** What the last run left, except what is gone. */
  left: readonly LeftExam[];
  run: (studies: readonly Study[]) => Promise<void>;
  /** Ends the run after the exam that is under way. */
  stop: () => void;
}

export interface BulkRun {
  studies: readonly Study[];
  /** Reports that so many exams are done. */
  report: (done: number) => void;
  isStopped: () => boolean;
}

interface BulkJobOptions {
  /** A run that fails leaves all exams. */
  act: (run: BulkRun) => Promise<LeftExam[]>;
  /** Called at the end of each run. */
  onEnd: (outcome: { studies: readonly Study[]; left: readonly LeftExam[] }) => void | Promise<void>;
}

/** While it runs, the shown place stays: only here the person sees how far it is, and can stop it. */
export function useBulkJob({ act, onEnd }: BulkJobOptions): BulkJob {
  const [progress, setProgress] = useState<BulkProgress>();
  const [left, setLeft] = useState<readonly LeftExam[]>([]);
  const isStopped = useRef(false);
  useStay(progress !== undefined);
  return {
    progress,
    left,
    async run(studies) {
      isStopped.current = false;
      const total = studies.length;
      setLeft([]);
      setProgress({ done: 0, total });
      const report = (done: number) => setProgress({ done, total });
      const leftExams = await act({ studies, report, isStopped: () => isStopped.current }).catch((failure) =>
        studies.map(({ id }): LeftExam => ({ id, message: failureText(failure) })),
      );
      setProgress(undefined);
      setLeft(leftExams.filter(({ isGone }) => !isGone));
      await onEnd({ studies, left: leftExams });
    },
    stop() {
      isStopped.current = true;
    },
  };
}

/** Codes of failures that every further exam would meet too. */
const FINAL_CODES: readonly string[] = ["quota.actions", "subscription.required", "doctor.not_found"];

function isFinal({ status, code }: ApiError): boolean {
  return status === 0 || status === 401 || status === 429 || FINAL_CODES.includes(code);
}

interface OneByOneTexts {
  unknown: string;
  stopped: string;
}

/** Calls the server for each exam. An exam that fails does not keep the next ones from being tried, unless they would fail alike. */
export async function oneByOne(
  { studies, report, isStopped }: BulkRun,
  call: (study: Study) => Promise<unknown>,
  texts: OneByOneTexts,
): Promise<LeftExam[]> {
  const left: LeftExam[] = [];
  let endedBy: string | undefined;
  for (const [index, study] of studies.entries()) {
    if (isStopped()) endedBy ??= texts.stopped;
    if (endedBy === undefined) {
      try {
        await call(study);
      } catch (error) {
        const message = error instanceof ApiError ? error.message : texts.unknown;
        if (error instanceof ApiError && isFinal(error)) endedBy = message;
        else left.push({ id: study.id, message, isGone: isStudyGone(error) });
      }
    }
    if (endedBy !== undefined) left.push({ id: study.id, message: endedBy });
    report(index + 1);
  }
  return left;
}
