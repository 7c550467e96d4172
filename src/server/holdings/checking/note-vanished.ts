import { AppError } from "../../http/app-error.ts";
import { heldByAnotherNode } from "../../http/http.errors.ts";
import { chunks } from "../../runtime/chunks.ts";
import { collectWithin } from "../../runtime/collect-within.ts";
import { describeError } from "../../runtime/log.ts";
import { onDisk } from "../../storage/disk/fs-failure.ts";
import { StoreUnavailable } from "../../storage/object-store.ts";
import { findBytes, isElsewhere } from "../object-sources.ts";
import { listVolumes } from "../objects/stored-objects.repo.ts";
import type { StoredObjectRow } from "../objects/stored-objects.table.ts";
import type { ObjectDeps } from "../reading/open-object.ts";
import { checkObject, soughtOf, sourcesOf } from "./check-object.ts";

const OBJECTS_AT_ONCE = 8;
/** Callers don't wait longer for a store that hardly answers. */
const PATIENCE_MS = 5_000;

/** Volumes of a study, some or all, and manifests. */
export interface SoughtObjects {
  studyId: string;
  volumeIds?: ReadonlySet<string>;
  /** A copy of one, in memory or on the disk of this node, does not tell that the store has it. */
  manifests: readonly StoredObjectRow[];
}

/**
 * Asks where volumes and manifests are kept whether they are there in their size, without reading them, and marks one that is not as a
 * failed read does. Returns those. A store that does not answer in time proves nothing.
 */
export async function noteVanished(
  deps: ObjectDeps,
  sought: readonly SoughtObjects[],
): Promise<StoredObjectRow[]> {
  return await collectWithin<StoredObjectRow>(async (vanished, isLate) => {
    for (const { studyId, volumeIds, manifests } of sought) {
      const all = volumeIds?.size === 0 ? [] : await listVolumes(deps.db, studyId);
      const volumes = volumeIds ? all.filter(({ id }) => volumeIds.has(id)) : all;
      for (const some of chunks([volumes, manifests].flat(), OBJECTS_AT_ONCE)) {
        if (isLate()) return;
        const areVanished = await Promise.all(some.map((object) => isVanished(deps, object)));
        vanished.push(...some.filter((_, at) => areVanished[at]));
      }
    }
  }, PATIENCE_MS);
}

async function isVanished(deps: ObjectDeps, object: StoredObjectRow): Promise<boolean> {
  const sources = sourcesOf(deps);
  const sought = soughtOf(object);
  if (isElsewhere(sought, sources)) return false;
  try {
    const found = await onDisk(() => findBytes(sources, sought));
    return found?.sizeBytes !== object.sizeBytes && (await checkObject(deps, object)) !== undefined;
  } catch (error) {
    const isAway = error instanceof AppError && error.kind === heldByAnotherNode;
    if (!isAway && !(error instanceof StoreUnavailable)) throw error;
    deps.log.warn("integrity.not_asked", { object: object.id, ...describeError(error) });
    return false;
  }
}
