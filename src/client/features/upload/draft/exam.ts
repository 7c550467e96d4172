import type { FilmGreys, FoundStudy } from "../look-inside/contents.ts";
import { type PackableFile, storedSizeOf } from "../pack-folder/pack-folder.ts";

/** A file of an exam, in one of the picked sources. */
export interface ExamFile extends PackableFile {
  /** Id of the source. */
  source: string;
  /** Empty if it has none that can be read. */
  sopInstanceUID: string;
}

/** A series of an exam, from however many sources. */
export interface ExamSeries {
  seriesInstanceUID: string;
  images: number;
  film?: FilmGreys;
}

/** An exam in the picked sources; what two of them share is counted once. */
export interface Exam extends Omit<FoundStudy, "series"> {
  series: ExamSeries[];
  /** How many of its images are films, as ultrasound has them. */
  videos: number;
  /** One for each instance. */
  files: ExamFile[];
}

export function sizeOfFile({ file, entry, sizeBytes }: PackableFile): number {
  return entry?.sizeBytes ?? sizeBytes ?? file.size;
}

/** The bytes of files as they travel. */
export function storedSizeOfAll(files: readonly PackableFile[]): number {
  return files.reduce((total, file) => total + storedSizeOf(file), 0);
}
