import type { KeptStudy } from "../../../../shared/api/studies.ts";
import type { FoundStudy } from "../look-inside/contents.ts";

/** An exam that is kept already, and what is kept of it. */
export interface KeptExam {
  study: FoundStudy;
  kept: KeptStudy;
}

/** What becomes of the picked exams. */
export interface SortedExams {
  toSend: FoundStudy[];
  kept: KeptExam[];
  /** New ones that the plan has no room for. */
  over: FoundStudy[];
}

/** @param room how many more exams the plan holds; infinite if nobody knows, since the server decides */
export function sortExams(
  studies: readonly FoundStudy[],
  kept: readonly KeptStudy[],
  room: number,
): SortedExams {
  const keptByUid = new Map(kept.map((study) => [study.studyInstanceUID, study]));
  const fresh = studies.filter(({ studyInstanceUID }) => !keptByUid.has(studyInstanceUID));
  const free = Math.max(0, room);
  return {
    toSend: fresh.slice(0, free),
    kept: studies.flatMap((study) => {
      const known = keptByUid.get(study.studyInstanceUID);
      return known ? [{ study, kept: known }] : [];
    }),
    over: fresh.slice(free),
  };
}

/** The names of the patients, each once however it is written. */
export function patientsOf(studies: readonly FoundStudy[]): string[] {
  const names = new Map<string, string>();
  for (const { about } of studies) {
    const key = about.patientName.trim().toLocaleLowerCase();
    if (key !== "" && !names.has(key)) names.set(key, about.patientName);
  }
  return [...names.values()];
}
