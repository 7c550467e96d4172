import type { ManifestInstance, SeriesManifest } from "../../../archive/manifest.ts";
import { AppError } from "../../../http/app-error.ts";
import { notFound } from "../../../http/http.errors.ts";
import { foundSeriesOf, seriesMetadata } from "../catalogue/catalogue-paths.ts";
import { findInstance } from "../catalogue/find-instance.ts";
import type { DicomwebCatalogue, SeriesRecord, StoredMetadata } from "../dicomweb.catalogue.ts";
import type { NamingMetadata } from "./named-values.ts";

/** What an answer of long values takes from one series: all its instances, or one. */
export interface SeriesOfValues extends NamingMetadata {
  /** The address of the series, which begins the `BulkDataURI`s of its metadata. */
  seriesUrl: string;
}

export async function* valuesOfStudy(
  catalogue: DicomwebCatalogue,
  series: readonly SeriesRecord[],
  seriesUrlOf: (seriesInstanceUID: string) => string,
): AsyncGenerator<SeriesOfValues> {
  for await (const found of foundSeriesOf(catalogue, series)) {
    const manifest = await found.manifest();
    yield await namingOf(manifest, await found.metadata(), seriesUrlOf(manifest.seriesInstanceUID));
  }
}

export async function* valuesOfSeries(
  catalogue: DicomwebCatalogue,
  manifest: SeriesManifest,
  seriesUrl: string,
): AsyncGenerator<SeriesOfValues> {
  const stored = await seriesMetadata(catalogue, manifest.studyInstanceUID, manifest.seriesInstanceUID);
  yield await namingOf(manifest, stored, seriesUrl);
}

async function namingOf(
  manifest: SeriesManifest,
  stored: StoredMetadata,
  seriesUrl: string,
): Promise<SeriesOfValues> {
  const find = (sopInstanceUID: string) => findInstance(manifest, sopInstanceUID);
  return { seriesUrl, stored, ranges: await stored.ranges(), findInstance: find };
}

export async function* valuesOfInstance(
  catalogue: DicomwebCatalogue,
  { study, series, instance }: { study: string; series: string; instance: ManifestInstance },
  seriesUrl: string,
): AsyncGenerator<SeriesOfValues> {
  const stored = await seriesMetadata(catalogue, study, series);
  const range = await stored.rangeOf(instance.sopInstanceUID);
  if (!range) throw new AppError(notFound);
  yield { seriesUrl, stored, ranges: [range], findInstance: () => instance };
}
