import type { KeptInstances } from "../../../../shared/api/kept-instances.ts";
import type { KeptStudy } from "../../../../shared/api/studies.ts";
import { isBeyondUpload } from "../draft/beyond-upload.ts";
import { type Exam, type ExamFile, storedSizeOfAll } from "../draft/exam.ts";
import { missingFiles } from "../draft/missing-files.ts";

/** A study that the account keeps already. */
export interface KnownStudy {
  study: KeptStudy;
  /** Its files: `pending` while the server is asked, undefined if it can't tell. */
  instances: KeptInstances | "pending" | undefined;
}

/** An exam that is kept already, and what is kept of it. */
export interface KeptExam {
  exam: Exam;
  kept: KeptStudy;
}

/** An exam that can be sent. */
export interface SendableExam {
  exam: Exam;
  isChosen: boolean;
  /** What is sent of it: all of it, or what the account lacks. */
  files: ExamFile[];
  /** Undefined of a new one. */
  kept: KeptStudy | undefined;
}

/** An exam that the plan has no room for beside those that are chosen. */
export interface OverExam extends Omit<SendableExam, "isChosen"> {
  /** How many bytes the plan lacks for it; undefined if the plan has room for no more exams. */
  missingBytes: number | undefined;
}

/** What becomes of the picked exams. */
export interface SortedExams {
  toSend: SendableExam[];
  kept: KeptExam[];
  over: OverExam[];
  /** Those with an image that alone is larger than an upload may be. */
  tooLarge: Exam[];
  /** Whether the server is still being asked what is kept. */
  isPending: boolean;
  /** Loose files that are taken to be kept and were not read for it yet. */
  assumed: Blob[];
}

interface SortingOptions {
  known: readonly KnownStudy[];
  /** How many more exams the plan holds; infinite if nobody knows, since the server decides. */
  room: number;
  /** How many more bytes the plan holds, in the same way. */
  roomBytes: number;
  maxUploadBytes: number;
  /** UIDs of the exams that the person does not want to send. */
  unticked: ReadonlySet<string>;
}

/** An exam that is not chosen leaves its room to the next one. */
export function sortExams(exams: readonly Exam[], options: SortingOptions): SortedExams {
  const { known, room, roomBytes, unticked, maxUploadBytes } = options;
  const byUid = new Map(known.map((one) => [one.study.studyInstanceUID, one]));
  const sorted: SortedExams = {
    toSend: [],
    kept: [],
    over: [],
    tooLarge: [],
    isPending: false,
    assumed: [],
  };
  let free = Math.max(0, room);
  let freeBytes = Math.max(0, roomBytes);
  const add = (one: SendableExam) => {
    const { exam, files, kept, isChosen } = one;
    const sizeBytes = isChosen ? storedSizeOfAll(files) : 0;
    const takesPlace = isChosen && !kept;
    if (files.some((file) => isBeyondUpload(file, maxUploadBytes))) sorted.tooLarge.push(exam);
    else if (takesPlace && free <= 0) sorted.over.push({ exam, files, kept, missingBytes: undefined });
    else if (sizeBytes > freeBytes)
      sorted.over.push({ exam, files, kept, missingBytes: sizeBytes - freeBytes });
    else {
      if (takesPlace) free--;
      freeBytes -= sizeBytes;
      sorted.toSend.push(one);
    }
  };
  for (const exam of exams) {
    const isChosen = !unticked.has(exam.studyInstanceUID);
    const one = byUid.get(exam.studyInstanceUID);
    if (one?.instances === "pending") {
      sorted.isPending = true;
      sorted.kept.push({ exam, kept: one.study });
    } else if (one) {
      const { files, assumed } = missingFiles(exam, one.instances);
      sorted.assumed.push(...assumed);
      if (files.length === 0) sorted.kept.push({ exam, kept: one.study });
      else add({ exam, isChosen, files, kept: one.study });
    } else add({ exam, isChosen, files: exam.files, kept: undefined });
  }
  return sorted;
}

/** The names of the patients, each once however it is written. */
export function patientsOf(exams: readonly Pick<Exam, "about">[]): string[] {
  const names = new Map<string, string>();
  for (const { about } of exams) {
    const key = about.patientName.trim().toLocaleLowerCase();
    if (key !== "" && !names.has(key)) names.set(key, about.patientName);
  }
  return [...names.values()];
}
