import { isSkippedInFolder, isSkippedInZip } from "../../../shared/rules/skipped-names.ts";
import { readZipEntries } from "../../../shared/zip/open-zip-blob.ts";
import type { ZipEntry } from "../../../shared/zip/zip-entry.ts";
import { ZipError } from "../../../shared/zip/zip-error.ts";
import { type FilmFile, spreadOverFrames } from "./contact-sheet/film-files.ts";
import type { ExamForm } from "./exam-form/exam-form.ts";
import { type PackableFile, packedSizeBytes } from "./pack-folder/pack-folder.ts";
import type { PackedFolder } from "./pack-folder/packed-folder.ts";
import type { Picked } from "./pick/picked-files.ts";
import { isZipName, MAX_FOLDER_FILES, PACKED_FOLDER_NAME } from "./pick/upload-rules.ts";
import { type Candidate, findMetadata } from "./read-dicom/find-metadata.ts";
import { readEntryHead } from "./read-dicom/zip-entry-head.ts";

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
  | { phase: "validating"; total: number }
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
}

/**
 * Inspects the picked files and makes them ready to be sent.
 * @throws {UploadRefused} if they can't be sent; the signal's reason when aborted
 */
export async function prepareUpload(picked: Picked, options: PrepareOptions): Promise<PreparedUpload> {
  if (picked.kind === "refused") throw new UploadRefused("notZip");
  return picked.kind === "zip" ? prepareZip(picked.file, options) : prepareFolder(picked.files, options);
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

async function prepareZip(file: File, options: PrepareOptions): Promise<PreparedUpload> {
  const { maxUploadBytes, onProgress, signal } = options;
  if (!isZipName(file.name)) throw new UploadRefused("notZip");
  if (file.size > maxUploadBytes) throw new UploadRefused("tooLarge");
  onProgress({ phase: "extracting" });
  await ensureReadable(file);
  const asItIs = { zip: file, fileName: file.name, dispose: async () => {} };
  const entries = await readEntries(file);
  if (!entries)
    return { ...asItIs, prefilled: undefined, fileCount: undefined, keptCount: undefined, films: [] };

  const files = entries.filter(({ isFolder }) => !isFolder);
  onProgress({ phase: "validating", total: files.length });
  const kept = files.filter(({ name }) => !isSkippedInZip(name));
  const candidates = kept.map((entry): Candidate => {
    return { path: entry.name, readHead: (maxBytes) => readEntryHead(file, entry, maxBytes) };
  });
  const prefilled = await prefill(candidates, signal);
  onProgress({ phase: "filtering", loaded: kept.length, total: files.length });
  return {
    ...asItIs,
    prefilled,
    fileCount: files.length,
    keptCount: kept.length,
    films: spreadOverFrames(kept.map((entry) => ({ file, entry }))),
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

/** @throws {UploadRefused} if it is certain that the server would find no instance either */
async function prefill(candidates: Iterable<Candidate>, signal: AbortSignal): Promise<ExamForm | undefined> {
  const found = await findMetadata(candidates, signal);
  if (found.kind === "none") throw new UploadRefused("noDicom");
  return found.kind === "found" ? found.metadata : undefined;
}

async function prepareFolder(files: PackableFile[], options: PrepareOptions): Promise<PreparedUpload> {
  const { maxUploadBytes, onProgress, signal, pack } = options;
  onProgress({ phase: "extracting" });
  const kept = files.filter(({ path }) => !isSkippedInFolder(path));
  if (kept.length === 0) throw new UploadRefused("noFiles");
  if (kept.length > MAX_FOLDER_FILES) throw new UploadRefused("tooManyFiles");
  if (packedSizeBytes(kept) > maxUploadBytes) throw new UploadRefused("folderTooLarge");

  onProgress({ phase: "validating", total: files.length });
  const prefilled = await prefill(kept.map(folderCandidate), signal);
  const onPacked = (count: number) => onProgress({ phase: "filtering", loaded: count, total: files.length });
  onPacked(0);
  const { zip, dispose } = await pack(kept, { onPacked, signal });
  return {
    zip,
    fileName: PACKED_FOLDER_NAME,
    prefilled,
    fileCount: files.length,
    keptCount: kept.length,
    films: spreadOverFrames(kept.map(({ file }) => ({ file }))),
    dispose,
  };
}

function folderCandidate({ path, file }: PackableFile): Candidate {
  return {
    path,
    readHead: async (maxBytes) => new Uint8Array(await file.slice(0, maxBytes).arrayBuffer()),
  };
}
