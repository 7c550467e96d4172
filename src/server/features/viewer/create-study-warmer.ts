import type { Deps } from "../../deps.ts";
import { findCopies } from "../../holdings/derivatives/derivatives.repo.ts";
import { listVolumes } from "../../holdings/objects/stored-objects.repo.ts";
import { describeError } from "../../runtime/log.ts";
import type { CachedStore } from "../../storage/cache/cached-store.ts";
import { isImage } from "./study-preview.ts";
import type { StudyWarmer } from "./study-warmer.ts";
import { listLargestSeries } from "./viewer.repo.ts";

type WarmDeps = Pick<Deps, "db" | "log" | "series" | "cache" | "config">;

/** The most series of a study that are looked at. */
const MAX_SERIES = 100;
/** A volume of which viewers read a smaller share is not downloaded: the rest of it would come in vain. */
const MIN_SHARE = 0.1;
/** Studies that are brought at once. Of others, viewers read each range from the store. */
const MAX_STUDIES = 32;

export function createStudyWarmer(deps: WarmDeps): StudyWarmer {
  const { cache, log } = deps;
  const warming = new Set<string>();
  const begin = (id: string, near: CachedStore) => {
    warming.add(id);
    warmStudy(deps, near, id)
      .catch((error) => log.warn("viewer.warm_failed", describeError(error)))
      .finally(() => warming.delete(id));
  };
  return {
    warm(studyIds) {
      for (const id of studyIds)
        if (cache && warming.size < MAX_STUDIES && !warming.has(id)) begin(id, cache);
    },
  };
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
