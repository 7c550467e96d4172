import { isSkippedInFolder, isSkippedInZip } from "../../../shared/rules/skipped-names.ts";
import { readZipEntries } from "../../../shared/zip/open-zip-blob.ts";
import type { ZipEntry } from "../../../shared/zip/zip-entry.ts";
import { ZipError } from "../../../shared/zip/zip-error.ts";
import { isZipName, type Picked } from "../pick/picked-files.ts";
import { type FilmFile, spreadOverFrames } from "./contact-sheet/film-files.ts";
import type { ExamForm } from "./exam-form/exam-form.ts";
import type { Contents } from "./look-inside/contents.ts";
import type { LookOptions } from "./look-inside/look-in-worker.ts";
import type { Insight } from "./look-inside/look-messages.ts";
import { type PackableFile, packedSizeBytes } from "./pack-folder/pack-folder.ts";
import type { PackedFolder } from "./pack-folder/packed-folder.ts";
import { MAX_FOLDER_FILES, PACKED_FOLDER_NAME } from "./pick/upload-rules.ts";

export type UploadProblem =
  | "notZip"
  | "tooLarge"
  | "folderTooLarge"
  | "tooManyFiles"
  | "noFiles"
  | "noDicom"
  | "badZip"
  | "packingFailed";

/** The picked files can't be sent. */
export class UploadRefused extends Error {
  override name = "UploadRefused";
  constructor(readonly problem: UploadProblem) {
    super(problem);
  }
}

/** The beats before the form is filled; counts are numbers of files. */
export type PreparationProgress =
  | { phase: "extracting" }
  | { phase: "validating"; total: number; loaded?: number; studies?: number }
  | { phase: "filtering"; loaded: number; total: number };

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
  contents: Contents | undefined;
  /** Removes the temporary files of the preparation. */
  dispose: () => Promise<void>;
}

export interface PrepareOptions {
  maxUploadBytes: number;
  onProgress: (progress: PreparationProgress) => void;
  signal: AbortSignal;
  pack: (
    files: PackableFile[],
    options: { onPacked: (count: number) => void; signal: AbortSignal },
  ) => Promise<PackedFolder>;
  look: (files: FilmFile[], options: LookOptions) => Promise<Insight>;
}

/**
 * Inspects the picked files and makes them ready to be sent.
 * @throws {UploadRefused} if they can't be sent; the signal's reason when aborted
 */
export async function prepareUpload(picked: Picked, options: PrepareOptions): Promise<PreparedUpload> {
  if (picked.kind === "refused") throw new UploadRefused("notZip");
  if (picked.kind === "zip") return prepareZip(picked.file, options);
  try {
    return await prepareFolder(picked.files, options);
  } catch (error) {
    // A single file that is neither a ZIP nor an image: the format is wrong, not the exam.
    const isWrongFormat = picked.isLoose && error instanceof UploadRefused && error.problem === "noDicom";
    throw isWrongFormat ? new UploadRefused("notZip") : error;
  }
}

/** @throws {UploadRefused} if the ZIP was deleted or changed since it was picked */
export async function ensureReadable(zip: Blob): Promise<void> {
  try {
    const start = await zip.slice(0, 4).arrayBuffer();
    if (start.byteLength === 4) return;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
  throw new UploadRefused("badZip");
}

const UNREAD = {
  ...{ prefilled: undefined, contents: undefined, fileCount: undefined, keptCount: undefined },
  films: [],
};

async function prepareZip(file: File, options: PrepareOptions): Promise<PreparedUpload> {
  const { maxUploadBytes, onProgress } = options;
  if (!isZipName(file.name)) throw new UploadRefused("notZip");
  if (file.size > maxUploadBytes) throw new UploadRefused("tooLarge");
  onProgress({ phase: "extracting" });
  await ensureReadable(file);
  const asItIs = { zip: file, fileName: file.name, dispose: async () => {} };
  const entries = await readEntries(file);
  if (!entries) return { ...asItIs, ...UNREAD };

  const total = entries.filter(({ isFolder }) => !isFolder).length;
  const kept = entries.filter(({ isFolder, name }) => !isFolder && !isSkippedInZip(name));
  const films = kept.map((entry) => ({ file, entry }));
  const { prefilled, contents } = await inspect(films, total, options);
  onProgress({ phase: "filtering", loaded: kept.length, total });
  return {
    ...asItIs,
    prefilled,
    contents,
    fileCount: total,
    keptCount: kept.length,
    films: spreadOverFrames(films),
  };
}

/** Undefined if the browser can't read the ZIP: it is sent as it is, and the server judges it. */
async function readEntries(file: Blob): Promise<ZipEntry[] | undefined> {
  try {
    return await readZipEntries(file);
  } catch (error) {
    if (error instanceof ZipError) return undefined;
    throw error;
  }
}

/**
 * What the files hold, and the form's values.
 * @throws {UploadRefused} if it is certain that the server would find no instance either
 */
async function inspect(
  files: FilmFile[],
  total: number,
  { look, onProgress, signal }: PrepareOptions,
): Promise<Pick<PreparedUpload, "prefilled" | "contents">> {
  onProgress({ phase: "validating", total });
  const onRead = (loaded: number, studies: number) =>
    onProgress({ phase: "validating", total, loaded, studies });
  const { found, contents } = await look(files, { onRead, signal });
  if (found.kind === "none") throw new UploadRefused("noDicom");
  return { prefilled: found.kind === "found" ? found.metadata : undefined, contents };
}

async function prepareFolder(files: PackableFile[], options: PrepareOptions): Promise<PreparedUpload> {
  const { maxUploadBytes, onProgress, signal, pack } = options;
  onProgress({ phase: "extracting" });
  const kept = files.filter(({ path }) => !isSkippedInFolder(path));
  if (kept.length === 0) throw new UploadRefused("noFiles");
  if (kept.length > MAX_FOLDER_FILES) throw new UploadRefused("tooManyFiles");
  if (packedSizeBytes(kept) > maxUploadBytes) throw new UploadRefused("folderTooLarge");

  const picked = kept.map(({ file }) => ({ file }));
  const { prefilled, contents } = await inspect(picked, files.length, options);
  const onPacked = (count: number) => onProgress({ phase: "filtering", loaded: count, total: files.length });
  onPacked(0);
  const { zip, dispose } = await pack(kept, { onPacked, signal });
  return {
    zip,
    fileName: PACKED_FOLDER_NAME,
    prefilled,
    fileCount: files.length,
    keptCount: kept.length,
    films: spreadOverFrames(picked),
    contents,
    dispose,
  };
}
