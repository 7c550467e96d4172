import type { FoundStudy } from "../look-inside/contents.ts";
import { storedSizeOf } from "../pack-folder/pack-folder.ts";
import { type Exam, type ExamFile, type ExamSeries, sizeOfFile } from "./exam.ts";
import { sumOf } from "./file-sums.ts";
import type { ReadSource } from "./read-source.ts";

/** A source of the draft that was read. */
export interface ExamSource {
  id: string;
  read: ReadSource;
}

/** What the sources hold together. */
export interface MergedExams {
  /** In the order in which they are first found. */
  exams: Exam[];
  /** Ids of the sources of which an instance is in another source too, and is left out here. */
  withoutTwins: ReadonlySet<string>;
  /** Loose files that are taken to be the same as another, by UID and size, but were not read for it yet. */
  assumed: Blob[];
}

interface Gathered {
  exam: Exam;
  series: Map<string, ExamSeries>;
  /** The files under each SOP Instance UID. */
  known: Map<string, ExamFile[]>;
}

/**
 * One exam for each Study Instance UID, however many sources hold parts of it. An instance that another source holds with the same
 * bytes is left out; other bytes under the same UID are kept.
 */
export function mergeExams(sources: readonly ExamSource[]): MergedExams {
  const exams = new Map<string, Gathered>();
  const withoutTwins = new Set<string>();
  const assumed = new Set<Blob>();
  for (const { id, read } of sources) {
    for (const study of read.contents?.studies ?? []) {
      const gathered = exams.get(study.studyInstanceUID) ?? begun(study);
      exams.set(study.studyInstanceUID, gathered);
      const fresh = addStudy(gathered, id, read, study, assumed);
      if (!fresh) withoutTwins.add(id);
    }
  }
  return { exams: [...exams.values()].map(({ exam }) => exam), withoutTwins, assumed: [...assumed] };
}

function begun({ series: _series, ...study }: FoundStudy): Gathered {
  const exam: Exam = { ...study, modalities: [], images: 0, videos: 0, sizeBytes: 0, series: [], files: [] };
  return { exam, series: new Map(), known: new Map() };
}

/** Returns whether every instance of the source was added. */
function addStudy(
  { exam, series, known }: Gathered,
  source: string,
  read: ReadSource,
  study: FoundStudy,
  assumed: Set<Blob>,
): boolean {
  let [added, all] = [0, 0];
  for (const found of study.series) {
    const merged = series.get(found.seriesInstanceUID) ?? {
      seriesInstanceUID: found.seriesInstanceUID,
      images: 0,
    };
    if (found.film) merged.film ??= found.film;
    if (!series.has(found.seriesInstanceUID)) exam.series.push(merged);
    series.set(found.seriesInstanceUID, merged);
    for (const { file: place, sopInstanceUID, isVideo } of found.instances) {
      const picked = read.files[place];
      if (!picked) continue;
      all++;
      const file: ExamFile = { ...picked, source, sopInstanceUID };
      if (hasTwin(file, known.get(sopInstanceUID) ?? [], assumed)) continue;
      added++;
      exam.files.push(file);
      if (isVideo) exam.videos++;
      exam.sizeBytes += storedSizeOf(file);
      merged.images++;
      if (sopInstanceUID !== "") known.set(sopInstanceUID, [...(known.get(sopInstanceUID) ?? []), file]);
    }
  }
  exam.images = exam.files.length;
  for (const code of study.modalities) if (!exam.modalities.includes(code)) exam.modalities.push(code);
  return added === all;
}

/** Whether another source holds the same instance. One source is left as it is, whatever it holds twice. */
function hasTwin(file: ExamFile, known: readonly ExamFile[], assumed: Set<Blob>): boolean {
  return known.some((other) => {
    if (other.source === file.source || sizeOfFile(other) !== sizeOfFile(file)) return false;
    const [one, two] = [sumOf(other), sumOf(file)];
    if (one !== undefined && two !== undefined) return one === two;
    if (one === undefined) assumed.add(other.file);
    if (two === undefined) assumed.add(file.file);
    return true;
  });
}
