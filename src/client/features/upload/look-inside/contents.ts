import type { ExamForm } from "../exam-form/exam-form.ts";

/** A small picture: greys row by row. */
export type FilmGreys = Uint8Array<ArrayBuffer>;

/** A series in the picked files. */
export interface FoundSeries {
  seriesInstanceUID: string;
  images: number;
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
}

/** The picture that stands for a study: that of its largest series which has one. */
export function filmOf({ series }: FoundStudy): FilmGreys | undefined {
  return series.toSorted((one, other) => other.images - one.images).find(({ film }) => film)?.film;
}
