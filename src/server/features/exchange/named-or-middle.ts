import { isVideo } from "../../../shared/dicom/transfer-syntax.ts";
import type { ManifestInstance } from "../../archive/manifest.ts";
import { AppError } from "../../http/app-error.ts";
import { notFound } from "../../http/http.errors.ts";
import { findInstance } from "../dicomweb/catalogue/find-instance.ts";
import type { DicomwebCatalogue } from "../dicomweb/dicomweb.catalogue.ts";
import { middleInstance } from "../thumbnails/read-picture-input.ts";

/** The series of which one request reads the list. */
const MAX_SERIES = 16;

/**
 * The middle image of the largest series that has one. If none of the largest ones has, their first video, which is not drawn; undefined
 * if nothing there has pixels.
 */
export async function middleOfStudy(
  catalogue: Pick<DicomwebCatalogue, "series" | "manifest">,
  study: string,
): Promise<ManifestInstance | undefined> {
  const series = (await catalogue.series(study)).toSorted((a, b) => b.instanceCount - a.instanceCount);
  let video: ManifestInstance | undefined;
  for (const { seriesInstanceUID } of series.slice(0, MAX_SERIES)) {
    const manifest = await catalogue.manifest(study, seriesInstanceUID);
    const middle = manifest && middleInstance(manifest);
    if (middle && !isVideo(middle.transferSyntaxUID)) return middle;
    video ??= middle;
  }
  return video;
}

/** The instance, or the middle one of the series. @throws {AppError} 404 */
export async function instanceOrMiddle(
  catalogue: DicomwebCatalogue,
  { study, series, sopInstanceUID }: { study: string; series: string; sopInstanceUID: string | undefined },
): Promise<ManifestInstance | undefined> {
  const manifest = await catalogue.manifest(study, series);
  if (!manifest) throw new AppError(notFound);
  return sopInstanceUID === undefined ? middleInstance(manifest) : findInstance(manifest, sopInstanceUID);
}
