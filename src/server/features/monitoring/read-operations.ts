import type { OperatedNode, Operations } from "../../../shared/api/operations.ts";
import type { Deps } from "../../deps.ts";
import { DEAD_LETTERS } from "../../jobs/queue.ts";
import { measureQueues } from "../../jobs/queue-depths.repo.ts";
import { listNodes, type SeenNode } from "../../nodes/nodes.repo.ts";
import { diskStateOf } from "../../storage/disk/disk-space.ts";
import { countStudyStates } from "../studies/study-states.repo.ts";

const MAX_NODES = 100;

/** What an admin is shown of the whole installation: jobs, bytes at rest, nodes and their disks. */
export async function readOperations({ db, node }: Pick<Deps, "db" | "node">): Promise<Operations> {
  const [queues, states, nodes] = await Promise.all([
    measureQueues(db),
    countStudyStates(db),
    listNodes(db, MAX_NODES),
  ]);
  const letters = queues.find(({ name }) => name === DEAD_LETTERS);
  const working = queues.filter((queue) => queue !== letters);
  const sum = (figure: "waiting" | "delayed" | "active") =>
    working.reduce((total, queue) => total + queue[figure], 0);
  const studies = (isOne: (state: (typeof states)[number]) => boolean) =>
    states.filter(isOne).reduce((total, state) => total + state.studies, 0);
  return {
    deadLetters: (letters?.waiting ?? 0) + (letters?.delayed ?? 0),
    queue: {
      waiting: sum("waiting"),
      delayed: sum("delayed"),
      active: sum("active"),
      oldestSeconds: Math.max(0, ...working.map(({ oldestSeconds }) => oldestSeconds)),
    },
    studies: {
      damaged: studies(({ integrity }) => integrity === "damaged"),
      missing: studies(({ integrity }) => integrity === "missing"),
      transferring: studies(({ storageStatus }) => storageStatus === "transferring"),
      failedTransfers: studies(({ storageStatus }) => storageStatus === "error"),
    },
    nodes: nodes.map((seen) => presentNode(seen, node.id)),
  };
}

function presentNode(seen: SeenNode, thisId: string): OperatedNode {
  const { id, state, version, diskFreeBytes: freeBytes, diskSizeBytes: sizeBytes } = seen;
  const space = freeBytes === null || sizeBytes === null ? null : { freeBytes, sizeBytes };
  return {
    id,
    isThis: id === thisId,
    state,
    version,
    startedAt: seen.startedAt.toISOString(),
    lastBeatAt: seen.lastBeatAt.toISOString(),
    disk: space && { state: diskStateOf(space), ...space },
  };
}
