import type { Deps } from "../../deps.ts";
import { findCopies } from "../../holdings/derivatives/derivatives.repo.ts";
import { listVolumes } from "../../holdings/objects/stored-objects.repo.ts";
import { describeError } from "../../runtime/log.ts";
import type { CachedStore } from "../../storage/cache/cached-store.ts";
import { isImage } from "./study-preview.ts";
import { listLargestSeries } from "./viewer.repo.ts";

type WarmDeps = Pick<Deps, "db" | "log" | "series" | "cache" | "config">;

/** The most series of a study that are looked at. */
const MAX_SERIES = 100;
/** A volume of which viewers read a smaller share is not downloaded: the rest of it would come in vain. */
const MIN_SHARE = 0.1;

/** Copies what viewers read of these studies to this machine while they load, where the store is elsewhere. */
export function warmStudies(deps: WarmDeps, studyIds: readonly string[]): void {
  const { cache } = deps;
  if (!cache) return;
  const warm = async () => {
    for (const id of studyIds) await warmStudy(deps, cache, id);
  };
  warm().catch((error) => deps.log.warn("viewer.warm_failed", describeError(error)));
}

/** The lossless copies of its series, and the volumes with images of other series. */
async function warmStudy(deps: WarmDeps, cache: CachedStore, studyId: string): Promise<void> {
  const allSeries = await listLargestSeries(deps.db, studyId, MAX_SERIES);
  const ids = allSeries.map(({ manifest }) => manifest.id);
  const copies = await findCopies(deps.db, deps.config.hasDerivatives ? ids : []);
  const readBytes = new Map<string, number>();
  for (const { manifest } of allSeries) {
    const copy = copies.get(manifest.id);
    if (copy !== undefined) {
      await cache.warm(copy);
      continue;
    }
    for (const { volumeId, storedBytes } of (await deps.series.manifest(manifest)).instances.filter(isImage))
      readBytes.set(volumeId, (readBytes.get(volumeId) ?? 0) + storedBytes);
  }
  for (const { id, key, sizeBytes } of await listVolumes(deps.db, studyId))
    if ((readBytes.get(id) ?? 0) >= sizeBytes * MIN_SHARE) await cache.warm(key);
}
