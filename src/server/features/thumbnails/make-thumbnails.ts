import { InstanceDamaged } from "../../archive/instance-reader.ts";
import { ManifestError } from "../../archive/manifest.errors.ts";
import type { ManifestInstance } from "../../archive/manifest.ts";
import type { Deps } from "../../deps.ts";
import { findStoredObject } from "../../holdings/objects/stored-objects.repo.ts";
import type { StoredObjectRow } from "../../holdings/objects/stored-objects.table.ts";
import { AppError } from "../../http/app-error.ts";
import { archiveDamaged } from "../../http/http.errors.ts";
import { ObjectNotFound } from "../../storage/object-store.ts";
import { type MiddleFrame, middleInstance, readMiddleFrame } from "./read-middle-frame.ts";
import { beginThumbnail, listUnpicturedSeries, saveThumbnail, takeBackAttempt } from "./thumbnails.repo.ts";
import { PICTURE_TYPE } from "./worker/picture-messages.ts";

type ThumbnailDeps = Pick<Deps, "db" | "clock" | "log" | "pictures" | "series" | "scratch">;

const SERIES_AT_ONCE = 100;

/** The outcome for a series: a picture, no pixels to draw, or pixels that could not be drawn. */
type Outcome = { image: Uint8Array } | "no_pixels" | "failed";

/**
 * Makes the pictures that an archived study lacks and records a row for each series, whatever the outcome. May be killed and run
 * again. Broken pixels in one series do not stop the others.
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
    for (const { seriesId, manifest } of fresh) {
      seen.add(manifest.id);
      const outcome = await attemptPicture(deps, seriesId, manifest, signal);
      if (outcome === undefined) continue;
      const image = typeof outcome === "object" ? outcome.image : null;
      await saveThumbnail(deps.db, {
        seriesId,
        manifestId: manifest.id,
        image,
        contentType: image && PICTURE_TYPE,
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
  seriesId: string,
  manifest: StoredObjectRow,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  signal.throwIfAborted();
  await beginThumbnail(deps.db, { seriesId, manifestId: manifest.id, at: deps.clock.now() });
  try {
    return await pictureOf(deps, manifest, signal);
  } catch (error) {
    await takeBackAttempt(deps.db, seriesId, manifest.id);
    throw error;
  }
}

/** Returns `undefined` when the manifest was replaced while it was read: its replacement has its own job. */
async function pictureOf(
  deps: ThumbnailDeps,
  manifest: StoredObjectRow,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  try {
    const instance = middleInstance(await deps.series.manifest(manifest));
    if (!instance) return "no_pixels";
    await using frame = await middleFrameOf(deps, instance);
    if (!frame) return "failed";
    const picture = await deps.pictures.make(frame.request, signal);
    if (picture.ok) return { image: picture.image };
    const { failure, detail } = picture;
    deps.log.info("thumbnail.none", { failure, detail, transferSyntaxUID: instance.transferSyntaxUID });
    return "failed";
  } catch (error) {
    if (isDamage(error)) return "failed";
    if (error instanceof ObjectNotFound && !(await findStoredObject(deps.db, manifest.id))) return undefined;
    throw error;
  }
}

/** Returns `undefined` when the frame is larger than what may be read for a picture. */
async function middleFrameOf(
  deps: ThumbnailDeps,
  instance: ManifestInstance,
): Promise<MiddleFrame | undefined> {
  const frame = await readMiddleFrame(deps, instance);
  return frame === "too_large" ? undefined : frame;
}

/** Whether the error means damage; a damaged series has no picture until it is sent again. */
function isDamage(error: unknown): boolean {
  if (error instanceof AppError) return error.kind === archiveDamaged;
  return error instanceof InstanceDamaged || error instanceof ManifestError;
}
