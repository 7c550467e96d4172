import type { KeptInstance, KeptInstances } from "../../../../shared/api/kept-instances.ts";
import { type Exam, type ExamFile, sizeOfFile } from "./exam.ts";
import { sumOf } from "./file-sums.ts";

/** What an account lacks of an exam. */
export interface Missing {
  files: ExamFile[];
  /** Loose files that are taken to be kept, by UID and size, but were not read for it yet. */
  assumed: Blob[];
}

/** The files of an exam that the account does not keep; all of them if the server can't tell. */
export function missingFiles({ files }: Pick<Exam, "files">, kept: KeptInstances | undefined): Missing {
  if (!kept?.isComplete) return { files, assumed: [] };
  const known = new Map<string, KeptInstance[]>();
  for (const one of kept.instances)
    known.set(one.sopInstanceUID, [...(known.get(one.sopInstanceUID) ?? []), one]);
  const assumed: Blob[] = [];
  const missing = files.filter((file) => {
    const sizeBytes = sizeOfFile(file);
    const alike = (known.get(file.sopInstanceUID) ?? []).filter((one) => one.sizeBytes === sizeBytes);
    const sum = sumOf(file);
    if (sum === undefined && alike.length > 0) assumed.push(file.file);
    return !alike.some(({ crc32 }) => sum === undefined || crc32 === sum);
  });
  return { files: missing, assumed };
}
