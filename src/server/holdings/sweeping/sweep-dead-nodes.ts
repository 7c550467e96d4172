import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { queueOfNode } from "../../jobs/queue.ts";
import { outboxForgetQueue, outboxSweepQueue } from "../../mail/outbox-queues.ts";
import {
  claimDeadNode,
  forgetNodes,
  markNodeSwept,
  moveBeatsToSetBackClock,
  noticeNodes,
} from "../../nodes/nodes.repo.ts";
import { chunks } from "../../runtime/chunks.ts";
import { healQueue, nodeCheckQueue, stagingPurgeQueue, transferQueue } from "../holding-queues.ts";
import { listStagedUploads } from "../objects/stored-objects.repo.ts";
import {
  deleteUploadsOfNode,
  failUploadsOfNode,
  listNodesNamed,
  unremovedUploads,
} from "../uploads/uploads.repo.ts";
import { adoptionQueue, removalQueue, sweepQueue } from "./sweep-queues.ts";

type SweepDeps = Pick<Deps, "db" | "jobs" | "node" | "clock" | "log">;

const NODES_AT_ONCE = 100;
const UPLOADS_PER_JOB = 100;
/** Bytes that a paused node was sending to the store when it was swept may still arrive, so they are looked for again. */
const SECOND_LOOK_SECONDS = 24 * 3600;

/**
 * Takes over the uploads of nodes that stopped beating; exactly one sweeper handles each node. Uploads that it was receiving can no
 * longer be committed, and their bytes in the store are deleted. Acknowledged uploads stay, wherever their bytes are.
 */
export async function sweepDeadNodes(deps: SweepDeps): Promise<void> {
  await moveBeatsToSetBackClock(deps.db);
  await noticeNodes(deps.db, await listNodesNamed(deps.db));
  for (let swept = 0; swept < NODES_AT_ONCE; swept++) {
    const nodeId = await deps.db.transaction((tx) => sweepOneNode(deps, tx));
    if (nodeId === undefined) break;
    deps.log.warn("node.swept", { nodeId });
  }
  for (const { id } of await forgetNodes(deps.db, NODES_AT_ONCE)) {
    await deleteUploadsOfNode(deps.db, id);
    for (const queue of [...queuesOf(id), outboxForgetQueue(id)]) await deps.jobs.remove(queue);
  }
}

/** Queues of jobs that only this node can do, and that it enqueues again after it was taken for dead. */
export function queuesOf(nodeId: string) {
  return [
    queueOfNode(sweepQueue, nodeId),
    transferQueue(nodeId),
    stagingPurgeQueue(nodeId),
    nodeCheckQueue(nodeId),
    healQueue(nodeId),
    outboxSweepQueue(nodeId),
  ] as const;
}

async function sweepOneNode(deps: SweepDeps, tx: Tx): Promise<string | undefined> {
  // The node is locked until everything is done: if it comes back, it beats before or after, never in between.
  const node = await claimDeadNode(tx, deps.node.id);
  if (!node) return undefined;
  await failUploadsOfNode(tx, node.id, deps.clock.now());
  for await (const uploadIds of unremovedUploads(tx, node.id, UPLOADS_PER_JOB)) {
    await deps.jobs.enqueue(removalQueue, { uploadIds }, { tx });
    await deps.jobs.enqueue(removalQueue, { uploadIds }, { tx, runAfterSeconds: SECOND_LOOK_SECONDS });
  }
  for (const uploadIds of chunks(await listStagedUploads(tx, node.id), UPLOADS_PER_JOB)) {
    await deps.jobs.enqueue(adoptionQueue, { nodeId: node.id, uploadIds }, { tx });
  }
  await markNodeSwept(tx, node.id);
  // A node of a version that doesn't beat may be alive, and would not enqueue its jobs again.
  if (node.bootId !== null) for (const queue of queuesOf(node.id)) await deps.jobs.empty(queue);
  return node.id;
}
