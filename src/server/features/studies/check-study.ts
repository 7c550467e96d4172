import type { Deps } from "../../deps.ts";
import { checkObject } from "../../holdings/checking/check-object.ts";
import { listStoredObjects } from "../../holdings/objects/stored-objects.repo.ts";
import type { Integrity, StoredObjectRow } from "../../holdings/objects/stored-objects.table.ts";
import type { ObjectDeps } from "../../holdings/reading/open-object.ts";
import { saveIntegrity } from "./integrity.repo.ts";
import { lockStudies } from "./study-storage.repo.ts";

/** How often a study may be read, since it may change while it is read. */
const MAX_ROUNDS = 10;

/**
 * Reads every object of a study and records the study's integrity; starts again if the study changed meanwhile. Idempotent.
 * @throws when an object can't be read now, which does not mean that it is damaged
 */
export async function checkStudy(
  deps: ObjectDeps & Pick<Deps, "db">,
  studyId: string,
  signal: AbortSignal,
): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (await checkAsItStands(deps, studyId, signal)) return;
  }
  throw new Error("the study kept changing while it was read");
}

/** Returns `false` when the study changed meanwhile. */
async function checkAsItStands(
  deps: ObjectDeps & Pick<Deps, "db">,
  studyId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const objects = await listStoredObjects(deps.db, studyId);
  let found: Integrity = "ok";
  for (const object of objects) {
    signal.throwIfAborted();
    const damage = await checkObject(deps, object);
    if (damage && found !== "missing") found = damage;
  }
  const now = deps.clock.now();
  return await deps.db.transaction(async (tx) => {
    await lockStudies(tx, [studyId]);
    const still = await listStoredObjects(tx, studyId);
    if (idsOf(still) !== idsOf(objects)) return false;
    await saveIntegrity(tx, studyId, found, now);
    return true;
  });
}

function idsOf(objects: StoredObjectRow[]): string {
  return objects
    .map(({ id }) => id)
    .sort()
    .join();
}
