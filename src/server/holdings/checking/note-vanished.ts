import { AppError } from "../../http/app-error.ts";
import { heldByAnotherNode } from "../../http/http.errors.ts";
import { chunks } from "../../runtime/chunks.ts";
import { describeError } from "../../runtime/log.ts";
import { withTimeout } from "../../runtime/with-timeout.ts";
import { onDisk } from "../../storage/disk/fs-failure.ts";
import { StoreUnavailable } from "../../storage/object-store.ts";
import { findBytes, isElsewhere } from "../object-sources.ts";
import { listVolumes } from "../objects/stored-objects.repo.ts";
import type { StoredObjectRow } from "../objects/stored-objects.table.ts";
import type { ObjectDeps } from "../reading/open-object.ts";
import { checkObject, soughtOf, sourcesOf } from "./check-object.ts";

const VOLUMES_AT_ONCE = 8;
/** Callers don't wait longer for a store that hardly answers. */
const PATIENCE_MS = 5_000;

/** Volumes of a study: some, or all. */
export interface SoughtVolumes {
  studyId: string;
  volumeIds?: ReadonlySet<string>;
}

/**
 * Asks where volumes are kept whether they are there in their size, without reading them, and marks a volume that is not as a failed
 * read does. Returns whether there is one. A store that does not answer in time proves nothing.
 */
export async function noteVanished(deps: ObjectDeps, sought: readonly SoughtVolumes[]): Promise<boolean> {
  let isNoted = false;
  let isLate = false;
  const look = async () => {
    for (const { studyId, volumeIds } of sought) {
      const all = await listVolumes(deps.db, studyId);
      const volumes = volumeIds ? all.filter(({ id }) => volumeIds.has(id)) : all;
      for (const some of chunks(volumes, VOLUMES_AT_ONCE)) {
        if (isLate) return;
        const found = await Promise.all(some.map((volume) => isVanished(deps, volume)));
        isNoted ||= found.includes(true);
      }
    }
  };
  isLate = !(await withTimeout(look(), PATIENCE_MS));
  return isNoted;
}

async function isVanished(deps: ObjectDeps, volume: StoredObjectRow): Promise<boolean> {
  const sources = sourcesOf(deps);
  const sought = soughtOf(volume);
  if (isElsewhere(sought, sources)) return false;
  try {
    const found = await onDisk(() => findBytes(sources, sought));
    return found?.sizeBytes !== volume.sizeBytes && (await checkObject(deps, volume)) !== undefined;
  } catch (error) {
    const isAway = error instanceof AppError && error.kind === heldByAnotherNode;
    if (!isAway && !(error instanceof StoreUnavailable)) throw error;
    deps.log.warn("integrity.not_asked", { object: volume.id, ...describeError(error) });
    return false;
  }
}
