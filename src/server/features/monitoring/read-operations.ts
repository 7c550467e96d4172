import type { OperatedNode, Operations } from "../../../shared/api/operations.ts";
import type { Deps } from "../../deps.ts";
import { measureQueues } from "../../jobs/queue-depths.repo.ts";
import { listNodes, type SeenNode } from "../../nodes/nodes.repo.ts";
import { diskStateOf } from "../../storage/disk/disk-space.ts";
import { countStudyStates } from "../studies/study-states.repo.ts";
import { splitDepths } from "./measure-queues.ts";
import { countStudies } from "./measure-studies.ts";

const MAX_NODES = 100;

/** What an admin is shown of the whole installation: jobs, bytes at rest, nodes and their disks. */
export async function readOperations({ db, node }: Pick<Deps, "db" | "node">): Promise<Operations> {
  const [queues, states, nodes] = await Promise.all([
    measureQueues(db),
    countStudyStates(db),
    listNodes(db, MAX_NODES),
  ]);
  const { working, deadLetters } = splitDepths(queues);
  const sum = (figure: "waiting" | "delayed" | "active") =>
    working.reduce((total, queue) => total + queue[figure], 0);
  return {
    deadLetters,
    queue: {
      waiting: sum("waiting"),
      delayed: sum("delayed"),
      active: sum("active"),
      oldestSeconds: Math.max(0, ...working.map(({ oldestSeconds }) => oldestSeconds)),
    },
    studies: {
      damaged: countStudies(states, ({ integrity }) => integrity === "damaged"),
      missing: countStudies(states, ({ integrity }) => integrity === "missing"),
      transferring: countStudies(states, ({ storageStatus }) => storageStatus === "transferring"),
      failedTransfers: countStudies(states, ({ storageStatus }) => storageStatus === "error"),
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
