import { ManifestTooLarge } from "../../archive/manifest.errors.ts";
import { volumeFolder } from "../../archive/volume-name.ts";
import type { ZipStream } from "../../archive/zip-stream.ts";
import type { Dicomdir, DirectoryRecord } from "../../dicom/dicomdir.ts";
import type { StoredObjectRow } from "../../holdings/objects/stored-objects.table.ts";
import { readObject, streamObject } from "../../holdings/reading/open-object.ts";
import { AppError } from "../../http/app-error.ts";
import type { ByteRange } from "../../storage/object-store.ts";
import { describeReport, imageFile, openedImages } from "../media/answer-media.ts";
import { encapsulateReport } from "../media/encapsulate-report.ts";
import { mediaTooLarge } from "../media/media.errors.ts";
import type { CopiedFile } from "../media/packed-files.ts";
import { type MediaPlan, numbered, planMedia, variantFiles } from "../media/plan-media.ts";
import type { findReport } from "../reports/reports.repo.ts";
import type { StudyRow } from "../studies/studies.table.ts";
import type { StudyContents } from "../studies/study-contents.repo.ts";
import { type DamagedParts, isGone, isLeftOut } from "./damaged-parts.ts";
import type { ExportDeps } from "./export-deps.ts";

interface ExamImages {
  study: StudyRow;
  contents: StudyContents;
  laudo?: { found: NonNullable<Awaited<ReturnType<typeof findReport>>>; pdf: Uint8Array } | undefined;
}

interface ImageParts {
  damaged: DamagedParts;
  directory: Dicomdir;
  folderCount: number;
}

/**
 * Sends a study's images, and its laudo as an instance, under names that a DICOMDIR allows, and adds them to the DICOMDIR. A study
 * with an unreadable index, or one too large for a directory, is sent as its stored volumes instead. Returns the study's folders.
 */
export async function* exportImages(
  deps: ExportDeps,
  zip: ZipStream,
  { study, contents, laudo }: ExamImages,
  parts: ImageParts,
): AsyncGenerator<Uint8Array, string[]> {
  const exam = { study: study.id, studyInstanceUID: study.studyInstanceUID };
  const { series, volumes } = contents;
  const path = ["DICOM", numbered("E", ++parts.folderCount)];
  const plan = await planIfReadable(deps, study, series, path);
  if (!plan) {
    for (const volume of volumes) yield* exportVolume(deps, zip, volume, { exam, damaged: parts.damaged });
    return volumes.map((volume) => volumeFolder(volume.id));
  }
  const folder = `${path.join("/")}/`;
  const lost = yield* exportPlanned(deps, zip, { plan, folder, exam, volumes }, parts.damaged);
  if (laudo) {
    const { elements, name } = describeReport(plan, laudo.found);
    yield* zip.file(name, ...encapsulateReport(elements, laudo.pdf));
  }
  const patient = withoutLost(plan.patient, lost);
  if (patient) await parts.directory.add(patient);
  return [folder];
}

/** The study's plan; undefined if its manifests are damaged or too large, or name too many images for a directory. */
async function planIfReadable(
  deps: ExportDeps,
  study: StudyRow,
  series: StudyContents["series"],
  path: readonly string[],
): Promise<MediaPlan | undefined> {
  try {
    return await planMedia(deps, study, series, path);
  } catch (error) {
    if (isLeftOut(error) || isTooLarge(error)) return undefined;
    throw error;
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof ManifestTooLarge || (error instanceof AppError && error.kind === mediaTooLarge);
}

/** Sends the planned images. Those that cannot be read as they were stored are left out; their records are returned. */
async function* exportPlanned(
  deps: ExportDeps,
  zip: ZipStream,
  given: { plan: MediaPlan; folder: string; exam: object; volumes: readonly StoredObjectRow[] },
  damaged: DamagedParts,
): AsyncGenerator<Uint8Array, Set<DirectoryRecord>> {
  const { plan, folder, exam } = given;
  const volumes = new Map(given.volumes.map((volume) => [volume.id, volume]));
  const missing = new Set<string>();
  const leftOut = new Set<CopiedFile>();
  let found: unknown;
  const files = [...plan.files, ...variantFiles(plan, folder)];
  function* present() {
    for (const file of files) {
      if (missing.has(file.instance.volumeId)) leftOut.add(file);
      else yield file;
    }
  }
  for await (const { item: file, result } of openedImages(deps, present(), volumes)) {
    try {
      yield* imageFile(zip, file, await result);
    } catch (error) {
      if (!isLeftOut(error)) throw error;
      found = error;
      if (isGone(error)) missing.add(file.instance.volumeId);
      leftOut.add(file);
    }
  }
  const names = files.filter((file) => leftOut.has(file)).map(({ name }) => name);
  const isAll = names.length === files.length;
  if (names.length > 0) damaged.add({ ...exam, file: folder }, found, isAll ? undefined : names);
  return new Set(plan.files.filter((file) => leftOut.has(file)).map(({ record }) => record));
}

/** The records above those that are left; undefined if none is. */
function withoutLost(
  record: DirectoryRecord,
  lost: ReadonlySet<DirectoryRecord>,
): DirectoryRecord | undefined {
  if (lost.has(record)) return undefined;
  if (record.lower.length === 0) return record;
  const lower = record.lower.flatMap((below) => withoutLost(below, lost) ?? []);
  return lower.length > 0 ? { ...record, lower } : undefined;
}

/** Sends a volume. Only the images that cannot be read as they were stored are left out. */
async function* exportVolume(
  deps: ExportDeps,
  zip: ZipStream,
  volume: StoredObjectRow,
  { exam, damaged }: { exam: object; damaged: DamagedParts },
): AsyncGenerator<Uint8Array> {
  const part = { ...exam, file: volumeFolder(volume.id) };
  const streamed = {
    id: volume.id,
    sizeBytes: volume.sizeBytes,
    read: (range: ByteRange) => readObject(deps, volume, range),
    open: (range: ByteRange) => streamObject(deps, volume, range),
  };
  let found: unknown;
  const isFound = (error: unknown) => {
    found = error;
    return isLeftOut(error);
  };
  try {
    const leftOut = yield* zip.volume(streamed, isFound);
    if (leftOut.length > 0) damaged.add(part, found, leftOut);
  } catch (error) {
    if (!isLeftOut(error)) throw error;
    damaged.add(part, error);
  }
}
