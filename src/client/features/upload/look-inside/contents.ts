import type { ExamForm } from "../exam-form/exam-form.ts";

/** A small picture: greys row by row. */
export type FilmGreys = Uint8Array<ArrayBuffer>;

/** An instance in the picked files. */
export interface FoundInstance {
  /** Its file's place among the files that were read. */
  file: number;
  /** Empty if it has none that can be read. */
  sopInstanceUID: string;
  /** Whether its frames are a film, rather than slices. */
  isVideo: boolean;
}

/** A series in the picked files. */
export interface FoundSeries {
  seriesInstanceUID: string;
  images: number;
  instances: FoundInstance[];
  /** Its middle image; undefined if this browser can't draw it. */
  film?: FilmGreys;
}

/** An exam in the picked files, as its first readable instance describes it. */
export interface FoundStudy {
  studyInstanceUID: string;
  about: ExamForm;
  /** In the order of their first instances. */
  modalities: string[];
  images: number;
  sizeBytes: number;
  series: FoundSeries[];
}

/** What the picked files hold. */
export interface Contents {
  studies: FoundStudy[];
  /** False if a limit ended the reading: there may be more than was counted. */
  isComplete: boolean;
  /** The places of files that may be instances of an unknown exam: they were not read, or can't be read here. */
  unplaced: number[];
}

/** The picture that stands for a study: that of its largest series which has one. */
export function filmOf({
  series,
}: {
  series: readonly Pick<FoundSeries, "images" | "film">[];
}): FilmGreys | undefined {
  return series.toSorted((one, other) => other.images - one.images).find(({ film }) => film)?.film;
}
