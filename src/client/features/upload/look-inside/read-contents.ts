import { mayBeInstance } from "../../../../shared/dicom/instance-start.ts";
import { drawFilm } from "../contact-sheet/draw-film.ts";
import type { FilmFile } from "../contact-sheet/film-files.ts";
import { type InstancePlace, readInstancePlace } from "../read-dicom/instance-place.ts";
import { readFileHead } from "../read-dicom/zip-entry-head.ts";
import type { Contents, FilmGreys, FoundInstance, FoundStudy } from "./contents.ts";
import { type OnFilm, SheetFilms } from "./sheet-films.ts";

export interface ContentLimits {
  maxFiles: number;
  maxStudies: number;
  /** Of all studies together. */
  maxSeries: number;
  /** Files whose first bytes did not suffice, and that are read further. */
  maxDeepReads: number;
  readingMs: number;
  /** Larger files are not drawn. */
  filmFileBytes: number;
  /** Limit for all drawn files together. */
  filmBytes: number;
  drawingMs: number;
  now: () => number;
}

/** A disc of 4,000 slices takes a few seconds; what comes after the limits is sent all the same. */
export const CONTENT_LIMITS: Omit<ContentLimits, "now"> = {
  maxFiles: 65_535,
  maxStudies: 100,
  maxSeries: 1_000,
  maxDeepReads: 200,
  readingMs: 20_000,
  filmFileBytes: 12 * 1024 * 1024,
  filmBytes: 96 * 1024 * 1024,
  drawingMs: 4_000,
};

const HEAD_BYTES = 16 * 1024;
const DEEP_HEAD_BYTES = 1024 * 1024;
const SERIES_DRAWN_PER_STUDY = 4;

/** An instance of a series, by which its middle one is found. */
interface PlacedFile extends FoundInstance {
  source: FilmFile;
  instanceNumber: number;
}

interface SeriesFiles {
  seriesInstanceUID: string;
  files: PlacedFile[];
  film?: FilmGreys;
}

interface StudyFiles extends Omit<FoundStudy, "series"> {
  series: Map<string, SeriesFiles>;
}

/**
 * Reads the first bytes of every file, groups them by study and series, and draws each series' middle image.
 * @param onFilm takes pictures of what is being read, as it is read
 */
export async function readContents(
  files: readonly FilmFile[],
  limits: ContentLimits,
  onRead: (files: number, studies: number) => void,
  onFilm?: OnFilm,
): Promise<Contents> {
  const sheet = onFilm && new SheetFilms(files.length, limits, onFilm);
  const { studies, ...others } = await groupFiles(files, limits, onRead, sheet);
  await drawSeries([...studies.values()], limits);
  return {
    ...others,
    studies: [...studies.values()].map(({ series, ...study }) => ({
      ...study,
      series: [...series.values()].map(({ seriesInstanceUID, files: own, film }) => ({
        seriesInstanceUID,
        images: own.length,
        instances: own.map(({ file, sopInstanceUID, isVideo }) => ({ file, sopInstanceUID, isVideo })),
        ...(film && { film }),
      })),
    })),
  };
}

async function groupFiles(
  files: readonly FilmFile[],
  limits: ContentLimits,
  onRead: (files: number, studies: number) => void,
  sheet: SheetFilms | undefined,
) {
  const studies = new Map<string, StudyFiles>();
  const end = limits.now() + limits.readingMs;
  let [deepReads, seriesCount] = [limits.maxDeepReads, 0];
  let isComplete = true;
  const unplaced: number[] = [];
  for (const [index, file] of files.entries()) {
    if (index >= limits.maxFiles || limits.now() > end) {
      for (let unread = index; unread < files.length; unread++) unplaced.push(unread);
      return { studies, isComplete: false, unplaced };
    }
    onRead(index + 1, studies.size);
    const head = await readFileHead(file, HEAD_BYTES);
    if (!head || !mayBeInstance(head)) continue;
    let place = readInstancePlace(head);
    if (!place && head.length === HEAD_BYTES) {
      if (deepReads-- > 0) place = readInstancePlace((await readFileHead(file, DEEP_HEAD_BYTES)) ?? head);
      else isComplete = false;
    }
    if (!place) {
      unplaced.push(index);
      continue;
    }
    await sheet?.take(index, file);
    const isNew = addFile(studies, { index, file }, place, seriesCount < limits.maxSeries, limits.maxStudies);
    if (isNew === undefined) {
      isComplete = false;
      unplaced.push(index);
    } else if (isNew) seriesCount++;
  }
  return { studies, isComplete, unplaced };
}

/** Returns whether the file begins a series; undefined if it was not added since there is no room for another. */
function addFile(
  studies: Map<string, StudyFiles>,
  { index, file }: { index: number; file: FilmFile },
  { about, seriesInstanceUID, sopInstanceUID, isVideo, instanceNumber }: InstancePlace,
  hasRoom: boolean,
  maxStudies: number,
): boolean | undefined {
  const { studyInstanceUID, modality } = about;
  const known = studies.get(studyInstanceUID);
  const isNew = !known?.series.has(seriesInstanceUID);
  if (isNew && (!hasRoom || (!known && studies.size >= maxStudies))) return undefined;
  const study = known ?? {
    studyInstanceUID,
    about,
    modalities: [],
    images: 0,
    sizeBytes: 0,
    series: new Map<string, SeriesFiles>(),
  };
  const series = study.series.get(seriesInstanceUID) ?? { seriesInstanceUID, files: [] };
  series.files.push({ file: index, sopInstanceUID, isVideo, source: file, instanceNumber });
  study.images++;
  study.sizeBytes += file.entry?.storedBytes ?? file.file.size;
  if (modality !== "" && !study.modalities.includes(modality)) study.modalities.push(modality);
  study.series.set(seriesInstanceUID, series);
  studies.set(studyInstanceUID, study);
  return isNew;
}

/** The first series of each study come first, so that each study has a picture before one has several. */
async function drawSeries(studies: readonly StudyFiles[], limits: ContentLimits): Promise<void> {
  const end = limits.now() + limits.drawingMs;
  let leftBytes = limits.filmBytes;
  for (let place = 0; place < SERIES_DRAWN_PER_STUDY; place++) {
    for (const study of studies) {
      const series = largestFirst(study)[place];
      const middle = series && middleOf(series.files);
      const sizeBytes = middle?.entry?.sizeBytes ?? middle?.file.size ?? 0;
      if (!middle || sizeBytes > limits.filmFileBytes) continue;
      if (limits.now() > end || sizeBytes > leftBytes) return;
      const bytes = await readFileHead(middle, limits.filmFileBytes);
      leftBytes -= bytes?.length ?? 0;
      const film = bytes && drawFilm(bytes);
      if (film) series.film = new Uint8Array(film);
    }
  }
}

function largestFirst({ series }: StudyFiles): SeriesFiles[] {
  return [...series.values()].sort((one, other) => other.files.length - one.files.length);
}

function middleOf(files: readonly PlacedFile[]): FilmFile | undefined {
  const inOrder = files.toSorted((one, other) => one.instanceNumber - other.instanceNumber);
  return inOrder[Math.floor(inOrder.length / 2)]?.source;
}
