import type { Context } from "hono";
import { isUid } from "../../../../shared/dicom/uid.ts";
import { isUuid } from "../../../../shared/uuid.ts";
import type { ManifestInstance, SeriesManifest } from "../../../archive/manifest.ts";
import { AppError } from "../../../http/app-error.ts";
import { notFound } from "../../../http/http.errors.ts";
import { readAhead, SMALL_AHEAD } from "../../../runtime/read-ahead.ts";
import type { DicomwebCatalogue, FoundSeries, SeriesRecord } from "../dicomweb.catalogue.ts";
import type { MetadataOfSeries } from "../metadata/metadata.ts";
import { findInstance } from "./find-instance.ts";

/* What the addresses of DICOMweb name, looked up in a catalogue. Each throws 404 for what is not there, or can't be. */

/** About what the index or the packed metadata of an instance take. */
const INSTANCE_BYTES = 1024;
/** In an answer about a study, each series waits for the store. */
export const SERIES_AHEAD = {
  ...SMALL_AHEAD,
  bytesOf: ({ instanceCount }: Pick<SeriesRecord, "instanceCount">) => instanceCount * INSTANCE_BYTES,
};
/** An index may have many frames of few instances, and is whole in memory. */
const INDEXES_AHEAD = { ...SERIES_AHEAD, maxItems: 2 };

/** How the address of a request names a study that its UID does not name. */
export const referenceIn = (c: Context) => {
  const study = c.req.param("study") ?? "";
  return isUuid(study) ? study : undefined;
};

export interface InstancePath {
  study: string;
  series: string;
  instance: string;
}

/** @throws {AppError} 404 for a value that cannot be a UID */
export function uid(value: string): string {
  if (!isUid(value)) throw new AppError(notFound);
  return value;
}

/** @throws {AppError} 404 for what is neither a UID nor one of our ids */
function studyName(value: string): string {
  return isUuid(value) ? value : uid(value);
}

/** @throws {AppError} 404 for a path of which a part can name nothing; a part that is not there names all */
export function assertNames({ study, series, instance }: Partial<InstancePath>): void {
  if (study !== undefined) studyName(study);
  for (const part of [series, instance]) if (part !== undefined) uid(part);
}

export async function allSeries(catalogue: DicomwebCatalogue, study: string): Promise<SeriesRecord[]> {
  const series = await catalogue.series(studyName(study));
  if (series.length === 0) throw new AppError(notFound);
  return series;
}

export async function seriesManifest(
  catalogue: DicomwebCatalogue,
  study: string,
  series: string,
): Promise<SeriesManifest> {
  const manifest = await catalogue.manifest(studyName(study), uid(series));
  if (!manifest) throw new AppError(notFound);
  return manifest;
}

export async function seriesMetadata(catalogue: DicomwebCatalogue, study: string, series: string) {
  const stored = await catalogue.metadata(studyName(study), uid(series));
  if (!stored) throw new AppError(notFound);
  return stored;
}

export async function oneInstance(
  catalogue: DicomwebCatalogue,
  path: InstancePath,
): Promise<ManifestInstance | undefined> {
  const manifest = await seriesManifest(catalogue, path.study, path.series);
  return findInstance(manifest, uid(path.instance));
}

/** Instances of a series, and its address if answers name it. */
export interface InstancesOfSeries {
  instances: ManifestInstance[];
  url: string | undefined;
}

export async function* instancesOf(
  catalogue: DicomwebCatalogue,
  series: SeriesRecord[],
  urlOf: (seriesInstanceUID: string) => string | undefined,
): AsyncGenerator<InstancesOfSeries> {
  const read = ({ studyInstanceUID, seriesInstanceUID }: SeriesRecord) =>
    seriesManifest(catalogue, studyInstanceUID, seriesInstanceUID);
  for await (const { item, result } of readAhead(series, read, INDEXES_AHEAD))
    yield { instances: (await result).instances, url: urlOf(item.seriesInstanceUID) };
}

/** The series of a study, each found and, if it is small, in memory as it is stored; the next ones are fetched meanwhile. */
export async function* foundSeriesOf(
  catalogue: DicomwebCatalogue,
  series: readonly SeriesRecord[],
): AsyncGenerator<FoundSeries> {
  const read = async ({ studyInstanceUID, seriesInstanceUID }: SeriesRecord) => {
    const found = await catalogue.find(studyInstanceUID, seriesInstanceUID);
    if (!found) throw new AppError(notFound);
    await found.warm(true);
    return found;
  };
  for await (const { result } of readAhead(series, read, SERIES_AHEAD)) yield await result;
}

export async function* metadataOf(
  catalogue: DicomwebCatalogue,
  series: SeriesRecord[],
): AsyncGenerator<MetadataOfSeries> {
  const read = ({ studyInstanceUID, seriesInstanceUID }: SeriesRecord) =>
    seriesMetadata(catalogue, studyInstanceUID, seriesInstanceUID);
  for await (const { item, result } of readAhead(series, read, SERIES_AHEAD))
    yield { seriesInstanceUID: item.seriesInstanceUID, stored: await result };
}
