import { isSkippedInFolder, isSkippedInZip } from "../../../../shared/rules/skipped-names.ts";
import { readZipEntries } from "../../../../shared/zip/open-zip-blob.ts";
import type { ZipEntry } from "../../../../shared/zip/zip-entry.ts";
import { ZipError } from "../../../../shared/zip/zip-error.ts";
import { isCutZip } from "../../pick/cut-zip.ts";
import { areLocked } from "../../pick/locked-zip.ts";
import { isZipName, MAX_PICKED_FILES, type Picked, type PickedFile } from "../../pick/picked-files.ts";
import type { FilmFile } from "../contact-sheet/film-files.ts";
import type { ExamForm } from "../exam-form/exam-form.ts";
import type { Contents } from "../look-inside/contents.ts";
import type { LookOptions } from "../look-inside/look-in-worker.ts";
import type { Insight } from "../look-inside/look-messages.ts";
import type { OnFilm } from "../look-inside/sheet-films.ts";
import { type PackableFile, storedSizeOf } from "../pack-folder/pack-folder.ts";
import { isReadable } from "../send/is-readable.ts";
import { UploadRefused } from "../upload-problem.ts";

/** How long the page may be busy at a time while it reads the sizes of files. */
const SLICE_MS = 16;

/** A picked ZIP or folder with what it holds. */
export interface ReadSource {
  kind: "zip" | "folder";
  name: string;
  sizeBytes: number;
  /** The ZIP itself; undefined for a folder. */
  zip: File | undefined;
  /** The files that may be DICOM by their name; `contents` names them by their place. Empty if the browser can't read the ZIP. */
  files: PackableFile[];
  /** The values of the first readable instance; undefined if the browser finds none, and the server then decides whether there is one. */
  prefilled: ExamForm | undefined;
  /** Count of all files; undefined if the browser can't read the ZIP. */
  fileCount: number | undefined;
  /** Undefined if the browser can't read the ZIP. */
  contents: Contents | undefined;
  /** Paths of the PDFs beside the images. */
  pdfs?: readonly string[];
  /** Whether it is a ZIP without its end. */
  isCut?: boolean;
}

/** The beats of a reading; counts are numbers of files. `waiting`: the code that reads can't be loaded yet. */
export type ReadingProgress =
  | { phase: "extracting" }
  | { phase: "waiting" }
  | { phase: "validating"; total: number; loaded?: number; studies?: number };

export interface ReadOptions {
  maxUploadBytes: number;
  onProgress: (progress: ReadingProgress) => void;
  onFilm?: OnFilm;
  signal: AbortSignal;
  look: (files: FilmFile[], options: LookOptions) => Promise<Insight>;
}

/**
 * Looks into the picked files.
 * @throws {UploadRefused} if they can't be sent; the signal's reason when aborted
 */
export async function readSource(picked: Picked, options: ReadOptions): Promise<ReadSource> {
  if (picked.kind === "refused") throw new UploadRefused("notZip");
  if (picked.kind === "zip") return readZip(picked.file, options);
  try {
    return await readFolder(picked, options);
  } catch (error) {
    // A single file that is neither a ZIP nor an image: the format is wrong, not the exam.
    const isWrongFormat = picked.isLoose && error instanceof UploadRefused && error.problem === "noDicom";
    throw isWrongFormat ? new UploadRefused("notZip") : error;
  }
}

/** @throws {UploadRefused} if the ZIP was deleted or changed since it was picked */
export async function ensureReadable(zip: Blob): Promise<void> {
  if (!(await isReadable(zip))) throw new UploadRefused("badZip");
}

async function readZip(file: File, options: ReadOptions): Promise<ReadSource> {
  const { maxUploadBytes, onProgress } = options;
  if (!isZipName(file.name)) throw new UploadRefused("notZip");
  if (file.size > maxUploadBytes) throw new UploadRefused("tooLarge");
  onProgress({ phase: "extracting" });
  await ensureReadable(file);
  const source = { kind: "zip" as const, name: file.name, sizeBytes: file.size, zip: file };
  const entries = await readEntries(file);
  if (!entries) {
    const unknown = { files: [], prefilled: undefined, fileCount: undefined, contents: undefined };
    return { ...source, ...unknown, isCut: await isCutZip(file) };
  }
  const all = entries.filter(({ isFolder }) => !isFolder);
  const kept = all.filter(({ name }) => !isSkippedInZip(name));
  if (areLocked(kept)) throw new UploadRefused("lockedZip");
  const files = kept.map((entry) => ({ path: entry.name, file, entry }));
  const pdfs = pdfsOf(all.map(({ name }) => name));
  return { ...source, files, pdfs, fileCount: all.length, ...(await inspect(files, all.length, options)) };
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

async function readFolder(
  { name, files }: Extract<Picked, { kind: "folder" }>,
  options: ReadOptions,
): Promise<ReadSource> {
  const { onProgress, signal } = options;
  onProgress({ phase: "extracting" });
  const kept = files.filter(({ path }) => !isSkippedInFolder(path));
  if (kept.length === 0) throw new UploadRefused("noFiles");
  if (kept.length > MAX_PICKED_FILES) throw new UploadRefused("tooManyFiles");
  onProgress({ phase: "validating", total: files.length });
  const sized = await askSizes(kept, signal);
  const sizeBytes = sized.reduce((total, file) => total + storedSizeOf(file), 0);
  const source = { kind: "folder" as const, name, sizeBytes, zip: undefined };
  return {
    ...source,
    files: sized,
    pdfs: pdfsOf(files.map(({ path }) => path)),
    fileCount: files.length,
    ...(await inspect(sized, files.length, options)),
  };
}

function pdfsOf(paths: readonly string[]): string[] {
  return paths.filter((path) => path.toLowerCase().endsWith(".pdf"));
}

/**
 * The files with their sizes. Browsers ask the disk when a file's size is first wanted, also to hand the file to a worker, and the
 * page waits for that; so thousands are asked for in slices.
 */
async function askSizes(files: readonly PickedFile[], signal: AbortSignal): Promise<PackableFile[]> {
  const sized: PackableFile[] = [];
  let startedAt = performance.now();
  for (const { path, file } of files) {
    sized.push({ path, file, sizeBytes: file.size });
    if (performance.now() - startedAt < SLICE_MS) continue;
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
    startedAt = performance.now();
  }
  return sized;
}

/**
 * What the files hold, and the form's values.
 * @throws {UploadRefused} if it is certain that the server would find no instance either
 */
async function inspect(
  files: PackableFile[],
  total: number,
  { look, onProgress, onFilm, signal }: ReadOptions,
): Promise<Pick<ReadSource, "prefilled" | "contents">> {
  onProgress({ phase: "validating", total });
  const onRead = (loaded: number, studies: number) =>
    onProgress({ phase: "validating", total, loaded, studies });
  const onWaiting = () => onProgress({ phase: "waiting" });
  const asked = files.map(({ file, entry }): FilmFile => (entry ? { file, entry } : { file }));
  const { found, contents } = await look(asked, { onRead, onWaiting, signal, ...(onFilm && { onFilm }) });
  if (found.kind === "none") throw new UploadRefused("noDicom");
  return { prefilled: found.kind === "found" ? found.metadata : undefined, contents };
}
