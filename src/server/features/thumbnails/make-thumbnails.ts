import { InstanceDamaged } from "../../archive/instance-reader.ts";
import { ManifestError } from "../../archive/manifest.errors.ts";
import type { ManifestInstance } from "../../archive/manifest.ts";
import type { Deps } from "../../deps.ts";
import { findStoredObject } from "../../holdings/objects/stored-objects.repo.ts";
import { AppError } from "../../http/app-error.ts";
import { archiveDamaged } from "../../http/http.errors.ts";
import { ObjectNotFound } from "../../storage/object-store.ts";
import { middleInstance, type PictureInput, readPictureInput } from "./read-picture-input.ts";
import {
  beginThumbnail,
  keepOlderPicture,
  listUnpicturedSeries,
  saveThumbnail,
  takeBackAttempt,
  type UnpicturedSeries,
} from "./thumbnails.repo.ts";
import { type Drawing, PICTURE_TYPE } from "./worker/picture-messages.ts";

type ThumbnailDeps = Pick<Deps, "db" | "clock" | "log" | "pictures" | "series" | "scratch">;

const SERIES_AT_ONCE = 100;

/** From the finest on; the last is as small as a preview gets. */
const PREVIEWS: readonly Pick<Drawing, "quality" | "box">[] = [
  { quality: 72, box: { width: 512, height: 512, enlarges: false } },
  { quality: 45, box: { width: 512, height: 512, enlarges: false } },
  { quality: 30, box: { width: 384, height: 384, enlarges: false } },
];
const MAX_PREVIEW_BYTES = 20_000;
const NO_PREVIEW = new Uint8Array();

/** The outcome for a series: a picture, no pixels to draw, or pixels that could not be drawn. */
type Outcome = { image: Uint8Array; preview: Uint8Array | null } | "no_pixels" | "failed";

/**
 * Makes the pictures that an archived study lacks, or that are drawn otherwise today, and records a row for each series, whatever the
 * outcome. May be killed and run again. Broken pixels in one series do not stop the others.
 * @throws when the archive store or the database can't be reached
 */
export async function makeThumbnails(
  deps: ThumbnailDeps,
  studyId: string,
  signal: AbortSignal,
): Promise<void> {
  const seen = new Set<string>();
  for (;;) {
    const unpictured = await listUnpicturedSeries(deps.db, studyId, SERIES_AT_ONCE);
    // A series is listed again only if its picture could not be saved because its study was deleted or changed.
    const fresh = unpictured.filter(({ manifest }) => !seen.has(manifest.id));
    if (fresh.length === 0) return;
    for (const series of fresh) {
      const { seriesId, manifest } = series;
      seen.add(manifest.id);
      const outcome = await attemptPicture(deps, series, signal);
      if (outcome === undefined) continue;
      if (outcome === "failed" && series.isPictured) {
        await keepOlderPicture(deps.db, seriesId, manifest.id);
        continue;
      }
      const { image, preview } = typeof outcome === "object" ? outcome : { image: null, preview: null };
      await saveThumbnail(deps.db, {
        seriesId,
        manifestId: manifest.id,
        image,
        contentType: image && PICTURE_TYPE,
        preview,
        madeAt: deps.clock.now(),
        failed: outcome === "failed",
      });
    }
    // Series that were added meanwhile have their own job.
    if (unpictured.length < SERIES_AT_ONCE) return;
  }
}

/** Runs {@link pictureOf} and records the attempt first: a series that ends this process is tried once more and never again. */
async function attemptPicture(
  deps: ThumbnailDeps,
  series: UnpicturedSeries,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const { seriesId, manifest } = series;
  signal.throwIfAborted();
  await beginThumbnail(deps.db, { seriesId, manifestId: manifest.id, at: deps.clock.now() });
  try {
    return await pictureOf(deps, series, signal);
  } catch (error) {
    await takeBackAttempt(deps.db, seriesId, manifest.id);
    throw error;
  }
}

/** Returns `undefined` when the manifest was replaced while it was read: its replacement has its own job. */
async function pictureOf(
  deps: ThumbnailDeps,
  { manifest, isLargest }: UnpicturedSeries,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  try {
    const instance = middleInstance(await deps.series.manifest(manifest));
    if (!instance) return "no_pixels";
    await using frame = await middleFrameOf(deps, instance);
    if (!frame) return "failed";
    const picture = await deps.pictures.make(frame.request, signal);
    if (picture.ok) {
      const preview = isLargest ? await previewOf(deps, frame, signal) : null;
      return { image: picture.image, preview };
    }
    const { failure, detail } = picture;
    deps.log.info("thumbnail.none", { failure, detail, transferSyntaxUID: instance.transferSyntaxUID });
    return "failed";
  } catch (error) {
    if (isDamage(error)) return "failed";
    if (error instanceof ObjectNotFound && !(await findStoredObject(deps.db, manifest.id))) return undefined;
    throw error;
  }
}

/** The same picture as large as a preview may be; empty if it has too much in it. */
async function previewOf(
  { pictures }: Pick<Deps, "pictures">,
  { request }: PictureInput,
  signal: AbortSignal,
): Promise<Uint8Array> {
  for (const drawing of PREVIEWS) {
    const picture = await pictures.make({ ...request, drawing: { type: "webp", ...drawing } }, signal);
    if (!picture.ok) break;
    if (picture.image.length <= MAX_PREVIEW_BYTES) return picture.image;
  }
  return NO_PREVIEW;
}

/** Returns `undefined` when the frame is larger than what may be read for a picture. */
async function middleFrameOf(
  deps: ThumbnailDeps,
  instance: ManifestInstance,
): Promise<PictureInput | undefined> {
  const frame = await readPictureInput(deps, instance);
  return frame === "too_large" ? undefined : frame;
}

/** Whether the error means damage; a damaged series has no picture until it is sent again. */
function isDamage(error: unknown): boolean {
  if (error instanceof AppError) return error.kind === archiveDamaged;
  return error instanceof InstanceDamaged || error instanceof ManifestError;
}
