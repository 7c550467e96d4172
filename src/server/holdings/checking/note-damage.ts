import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { listLiveNodes } from "../../nodes/nodes.repo.ts";
import { damageNoticeQueue, healQueue } from "../holding-queues.ts";
import { ownerOf } from "../object-owners.ts";
import type { KeptObject } from "../objects/kept-object.ts";
import { openFinding } from "./findings.repo.ts";
import type { FindingRow } from "./findings.table.ts";
import type { Damage } from "./integrity.ts";

/**
 * Records damage of an object on its exam, has the admin notified once, however often the object is read, and has each node look
 * for another copy. Returns `false` if the object was deleted meanwhile, so that nothing is wrong.
 */
export async function noteDamage(
  deps: Pick<Deps, "db" | "jobs" | "clock" | "log" | "owners" | "node">,
  object: Pick<KeptObject, "id" | "kind" | "key" | "sizeBytes">,
  found: Damage,
): Promise<boolean> {
  const { db, jobs, clock, log, owners } = deps;
  const { id: objectId, kind, key, sizeBytes } = object;
  return await db.transaction(async (tx) => {
    const foundAt = clock.now();
    const marked = await ownerOf(owners, object).mark(tx, objectId, found, foundAt);
    if (!marked) return false;
    const { studyId, isNew } = marked;
    const labExamId = kind === "lab" ? objectId : null;
    const finding = { objectId, kind, key, sizeBytes, studyId, labExamId, found, foundAt };
    if (await openFinding(tx, finding)) await seekCopies(deps, tx, finding);
    if (isNew) {
      await jobs.enqueue(damageNoticeQueue, { studyId, found }, { tx });
      log.error("archive.damaged", { found, kind, object: objectId });
    }
    return true;
  });
}

/** Has this node, and the others that beat, look for another copy of an object. Idempotent while that waits. */
export async function seekCopies(
  { jobs, node }: Pick<Deps, "jobs" | "node">,
  tx: Tx,
  { objectId, kind, key }: Pick<FindingRow, "objectId" | "kind" | "key">,
): Promise<void> {
  for (const nodeId of new Set([node.id, ...(await listLiveNodes(tx))]))
    await jobs.enqueue(healQueue(nodeId), { objectId, kind, key }, { tx, singletonKey: objectId });
}
