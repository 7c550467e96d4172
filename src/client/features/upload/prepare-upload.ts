import type { Picked } from "../pick/picked-files.ts";
import { type FilmFile, spreadOverFrames } from "./contact-sheet/film-files.ts";
import { type ReadingProgress, type ReadOptions, type ReadSource, readSource } from "./draft/read-source.ts";
import type { ExamForm } from "./exam-form/exam-form.ts";
import type { FoundSeries } from "./look-inside/contents.ts";
import type { PackableFile } from "./pack-folder/pack-folder.ts";
import type { PackedFolder } from "./pack-folder/packed-folder.ts";
import { PACKED_FOLDER_NAME } from "./pick/upload-rules.ts";

/** The beats before files can be sent; counts are numbers of files. */
export type PreparationProgress = ReadingProgress | { phase: "filtering"; loaded: number; total: number };

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

export interface PrepareOptions extends Omit<ReadOptions, "onProgress"> {
  onProgress: (progress: PreparationProgress) => void;
  pack: (
    files: PackableFile[],
    options: { onPacked: (count: number) => void; signal: AbortSignal },
  ) => Promise<PackedFolder>;
}

/**
 * Inspects the picked files and makes all of them ready to be sent.
 * @throws {UploadRefused} if they can't be sent; the signal's reason when aborted
 */
export async function prepareUpload(picked: Picked, options: PrepareOptions): Promise<PreparedUpload> {
  const { onProgress, signal, pack } = options;
  const source = await readSource(picked, options);
  const { files, fileCount = 0 } = source;
  const onPacked = (count: number) => onProgress({ phase: "filtering", loaded: count, total: fileCount });
  if (source.zip) {
    if (source.contents) onPacked(files.length);
    return { ...preparedOf(source, files), zip: source.zip, fileName: source.name, dispose: async () => {} };
  }
  onPacked(0);
  return {
    ...preparedOf(source, files),
    ...(await pack(files, { onPacked, signal })),
    fileName: PACKED_FOLDER_NAME,
  };
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
