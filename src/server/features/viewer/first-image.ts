import type { ManifestInstance } from "../../archive/manifest.ts";
import type { Deps } from "../../deps.ts";
import { archiveHeaders } from "../dicomweb/answers/archive-headers.ts";
import { openCatalogue } from "../dicomweb/catalogue/open-catalogue.ts";
import type { DicomwebCatalogue } from "../dicomweb/dicomweb.catalogue.ts";
import type { Scope, SeriesUIDs } from "../dicomweb/dicomweb.repo.ts";
import { framesResponse, isOneSmallFrame } from "../dicomweb/frames/frames.ts";
import { instanceMetadataResponse } from "../dicomweb/metadata/metadata.ts";
import type { StudyRow } from "../studies/studies.table.ts";
import { isImage } from "./study-preview.ts";
import { listLargestSeries } from "./viewer.repo.ts";

/** Series without an image, such as documents, are seldom as large as those with images. */
const MAX_SERIES = 8;
/** An image has some 5 kB; one that says far more is read with its series. */
const MAX_METADATA_BYTES = 256 * 1024;

/** The image that a viewer begins with. */
interface FirstImage {
  catalogue: DicomwebCatalogue;
  series: SeriesUIDs;
  instance: ManifestInstance;
}

export type FirstImageDeps = Pick<
  Deps,
  "db" | "series" | "scratch" | "elements" | "readingTurns" | "searchTurns"
>;

/** A study, and who may see it. */
export interface VisibleStudy {
  study: StudyRow;
  scope: Scope;
}

/** Answers the DICOM JSON of the first image, in an array; 204 if the study has none. */
export async function firstImageMetadata(
  deps: FirstImageDeps,
  visible: VisibleStudy,
  acceptEncoding: string | undefined,
): Promise<Response> {
  const first = await findFirstImage(deps, visible);
  if (!first) return noImage();
  const { catalogue, series, instance } = first;
  const stored = await catalogue.metadata(series.studyInstanceUID, series.seriesInstanceUID);
  const range = await stored?.rangeOf(instance.sopInstanceUID);
  if (!stored || !range || range.length > MAX_METADATA_BYTES) return noImage();
  return await instanceMetadataResponse(stored, instance.sopInstanceUID, { form: "json", acceptEncoding });
}

export interface FirstFrameRequest {
  accept: string | undefined;
  /** Where DICOMweb is for this caller. */
  base: string;
  /** Sends a large frame as long as the caller may have it. */
  whileVisible(response: Response): Promise<Response>;
}

/**
 * Answers the frame of the first image as `/frames/1` of its instance does, with `Content-Location` to say which instance that is;
 * 204 if the study has none.
 * @throws {AppError} 406 as {@link framesResponse}
 */
export async function firstImageFrame(
  deps: FirstImageDeps,
  visible: VisibleStudy,
  { accept, base, whileVisible }: FirstFrameRequest,
): Promise<Response> {
  const first = await findFirstImage(deps, visible);
  if (!first) return noImage();
  const { catalogue, series, instance } = first;
  const { studyInstanceUID, seriesInstanceUID } = series;
  const response = await framesResponse(catalogue, instance, "1", {
    accept,
    findCopy: () => catalogue.derivative(studyInstanceUID, seriesInstanceUID),
  });
  // The address stays while the image that it names may change.
  response.headers.set("Cache-Control", "private, no-store");
  response.headers.set(
    "Content-Location",
    `${base}/studies/${studyInstanceUID}/series/${seriesInstanceUID}/instances/${instance.sopInstanceUID}/frames/1`,
  );
  return isOneSmallFrame(instance, "1") ? response : whileVisible(response);
}

/**
 * The middle image of the largest series that has images, by their numbers. None where it has several frames, because only the whole
 * series tells where to begin.
 */
async function findFirstImage(
  deps: FirstImageDeps,
  { study, scope }: VisibleStudy,
): Promise<FirstImage | undefined> {
  const { studyInstanceUID } = study;
  for (const { seriesInstanceUID, manifest } of await listLargestSeries(deps.db, study.id, MAX_SERIES)) {
    // What its frame and its metadata need besides: in a remote store, one wait instead of two.
    deps.series.derivative(manifest).catch(() => undefined);
    const images = (await deps.series.manifest(manifest)).instances.filter(isImage);
    const instance = images[Math.floor((images.length - 1) / 2)];
    if (!instance) continue;
    if (instance.frames.kind === "none" || instance.frames.frameCount !== 1) return undefined;
    const series = { studyInstanceUID, seriesInstanceUID };
    return { catalogue: openCatalogue(deps, scope, { ...series, object: manifest }), series, instance };
  }
  return undefined;
}

function noImage(): Response {
  const { "Content-Type": _, ...headers } = archiveHeaders("");
  return new Response(null, { status: 204, headers });
}
