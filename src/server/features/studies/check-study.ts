import type { Deps } from "../../deps.ts";
import { checkObject } from "../../holdings/checking/check-object.ts";
import { nodeCheckQueue } from "../../holdings/holding-queues.ts";
import { listStoredObjects } from "../../holdings/objects/stored-objects.repo.ts";
import type { Integrity, StoredObjectRow } from "../../holdings/objects/stored-objects.table.ts";
import type { ObjectDeps } from "../../holdings/reading/open-object.ts";
import { saveIntegrity } from "./integrity.repo.ts";
import { lockStudies } from "./study-storage.repo.ts";

/** How often a study may be read, since it may change while it is read. */
const MAX_ROUNDS = 10;

/**
 * Reads every object of a study and records the study's integrity; starts again if the study changed meanwhile. If another node
 * holds some of its bytes, that node does it. Idempotent.
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
  const holder = onlyHolder(objects);
  if (holder !== undefined && holder !== deps.node.id) {
    await deps.jobs.enqueue(nodeCheckQueue(holder), { studyId }, { singletonKey: studyId });
    return true;
  }
  let found: Integrity = "ok";
  for (const object of objects) {
    signal.throwIfAborted();
    const damage = await checkObject(deps, object, { signal });
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

/** The one node that holds staged bytes of a study, if it is one. */
function onlyHolder(objects: StoredObjectRow[]): string | undefined {
  const staged = objects.filter(({ location }) => location === "staging");
  const holders = new Set(staged.flatMap(({ stagedOn }) => stagedOn ?? []));
  return holders.size === 1 ? [...holders][0] : undefined;
}

function idsOf(objects: StoredObjectRow[]): string {
  return objects
    .map(({ id }) => id)
    .sort()
    .join();
}
