import { frameCountOf } from "../../../shared/dicom/reading/frame-table.ts";
import type { ManifestInstance, SeriesManifest } from "../../archive/manifest.ts";
import { AppError } from "../../http/app-error.ts";
import { notFound } from "../../http/http.errors.ts";
import type { Part } from "../dicomweb/answers/multipart-related.ts";
import { findInstance } from "../dicomweb/catalogue/find-instance.ts";
import type { DicomwebCatalogue } from "../dicomweb/dicomweb.catalogue.ts";
import { notDrawable } from "../dicomweb/dicomweb.errors.ts";
import { tooManyPictures } from "./exchange.errors.ts";

/** The most pictures of one answer. */
export const MAX_PICTURES = 2_000;

export interface PicturePath {
  study?: string;
  series?: string;
  instance?: string;
  frames?: string;
}

/** An image to draw. */
export interface Picture {
  instance: ManifestInstance;
  /** Undefined for the middle frame. */
  frameIndex: number | undefined;
  /** Where it is. */
  place: string;
}

/**
 * What the pictures of a place are (PS3.18 §10.4.1.1.3): of a study or a series one of each image, of an instance one of each frame.
 * A series is opened when those before it are taken, so that the manifest of one is in memory.
 * @throws {AppError} 404 if nothing there has pixels, `rendered.too_many`
 */
export async function* listPictures(
  catalogue: Pick<DicomwebCatalogue, "series" | "manifest">,
  path: PicturePath,
): AsyncGenerator<Picture> {
  const { study = "", series, instance, frames } = path;
  const uids = series === undefined ? await seriesOf(catalogue, study) : [series];
  let isAny = false;
  for (const uid of uids) {
    const manifest = await catalogue.manifest(study, uid);
    for (const picture of manifest ? picturesOf(manifest, { instance, frames }) : []) {
      isAny = true;
      yield { ...picture, place: `/series/${uid}${picture.place}` };
    }
  }
  if (!isAny) throw new AppError(notFound);
}

/** The pictures of a series, or of an instance in it. @throws {AppError} 404, `rendered.too_many` */
function picturesOf(manifest: SeriesManifest, { instance, frames }: PicturePath): Picture[] {
  if (instance === undefined) {
    const images = manifest.instances.filter((one) => frameCountOf(one.frames) > 0);
    assertFew(images.length);
    return images.map((one) => ({ instance: one, frameIndex: undefined, place: placeOf(one) }));
  }
  const found = findInstance(manifest, instance);
  if (!found) return [];
  return framesOf(found, frames).map((frameIndex) => ({
    instance: found,
    frameIndex,
    place: `${placeOf(found)}/frames/${frameIndex + 1}`,
  }));
}

function placeOf({ sopInstanceUID }: ManifestInstance): string {
  return `/instances/${sopInstanceUID}`;
}

function assertFew(count: number): void {
  if (count > MAX_PICTURES) throw new AppError(tooManyPictures, { values: { maximum: MAX_PICTURES } });
}

async function seriesOf(catalogue: Pick<DicomwebCatalogue, "series">, study: string): Promise<string[]> {
  const all = await catalogue.series(study);
  // The manifests of a study may be large, and are not read in vain.
  assertFew(all.reduce((sum, { instanceCount }) => sum + instanceCount, 0));
  return all.map(({ seriesInstanceUID }) => seriesInstanceUID);
}

/** The indexes of a list of frames, each once, and of all of them without a list. @throws {AppError} 404, `rendered.too_many` */
function framesOf(instance: ManifestInstance, frames: string | undefined): number[] {
  const frameCount = frameCountOf(instance.frames);
  const listed = frames?.split(",");
  assertFew(listed?.length ?? frameCount);
  const numbers = listed?.map((text) => (/^\d{1,9}$/.test(text) ? Number(text) : 0));
  if (numbers?.some((number) => number < 1 || number > frameCount)) throw new AppError(notFound);
  if (!numbers) return Array.from({ length: frameCount }, (_, index) => index);
  return [...new Set(numbers)].map((number) => number - 1);
}

/**
 * The parts of the pictures, drawn one after the other as the client takes them. What nobody can draw is left out.
 * @param below the address of the study
 */
export async function* drawnParts(
  pictures: AsyncIterable<Picture>,
  { contentType, below }: { contentType: string; below: string },
  draw: (picture: Picture) => Promise<Uint8Array>,
): AsyncGenerator<Part> {
  for await (const picture of pictures) {
    const image = await draw(picture).catch((error) => {
      if (error instanceof AppError && error.kind === notDrawable) return undefined;
      throw error;
    });
    const location = `${below}${picture.place}/rendered`;
    if (image) yield { contentType, location, body: Uint8Array.from(image) };
  }
}
