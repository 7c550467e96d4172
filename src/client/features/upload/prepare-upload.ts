import { type FilmFile, spreadOverFrames } from "./contact-sheet/film-files.ts";
import type { ReadSource } from "./draft/read-source.ts";
import type { ExamForm } from "./exam-form/exam-form.ts";
import type { FoundSeries } from "./look-inside/contents.ts";
import type { PackableFile } from "./pack-folder/pack-folder.ts";

/** The exams of an upload, as far as they are shown. */
export interface UploadContents {
  studies: readonly {
    about: ExamForm;
    images: number;
    series: readonly Pick<FoundSeries, "images" | "film">[];
  }[];
  /** False if there may be more than the exams. */
  isComplete: boolean;
}

export interface PreparedUpload {
  zip: Blob;
  fileName: string;
  /** Undefined if the browser could read no instance; the server then decides whether there is one. */
  prefilled: ExamForm | undefined;
  /** Counts of all files, and of those that may be DICOM by their name; undefined if the browser can't read the ZIP. */
  fileCount: number | undefined;
  keptCount: number | undefined;
  /** The files that may be shown in each frame of the contact sheet. */
  films: FilmFile[][];
  /** Undefined if the browser can't read the ZIP. */
  contents: UploadContents | undefined;
  /** Removes the temporary files of the preparation. */
  dispose: () => Promise<void>;
}

/** What an upload of these files tells before its bytes are there. */
export function preparedOf(
  {
    prefilled,
    contents,
    fileCount,
  }: Pick<ReadSource, "prefilled" | "fileCount"> & { contents: UploadContents | undefined },
  files: readonly PackableFile[],
): Omit<PreparedUpload, "zip" | "fileName" | "dispose"> {
  const keptCount = contents && files.length;
  const films = spreadOverFrames(files.map(({ file, entry }) => (entry ? { file, entry } : { file })));
  return { prefilled, contents, fileCount, keptCount, films };
}
