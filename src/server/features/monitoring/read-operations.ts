import type { OperatedNode, Operations } from "../../../shared/api/operations.ts";
import type { Deps } from "../../deps.ts";
import { measureQueues } from "../../jobs/queue-depths.repo.ts";
import { listNodes, type SeenNode } from "../../nodes/nodes.repo.ts";
import { startOfDayInBrazil } from "../../runtime/brazil-time.ts";
import { diskStateOf } from "../../storage/disk/disk-space.ts";
import { countActiveAccounts } from "../accounts/sessions/sessions.repo.ts";
import { listNewUsers } from "../accounts/users/users.repo.ts";
import { findLastBackup } from "../safekeeping/backups.repo.ts";
import { countStudyStates, measureStudiesSince } from "../studies/study-states.repo.ts";
import { splitDepths } from "./measure-queues.ts";
import { countStudies } from "./measure-studies.ts";

const MAX_NODES = 100;
const MAX_NEW_ACCOUNTS = 5;
const NEW_ACCOUNT_MS = 7 * 24 * 3600_000;

/** What an admin is shown of the whole installation: jobs, bytes at rest, nodes and their disks. */
export async function readOperations({
  db,
  node,
  clock,
}: Pick<Deps, "db" | "node" | "clock">): Promise<Operations> {
  const now = clock.now();
  const midnight = startOfDayInBrazil(now);
  const [queues, states, nodes, came, people, lastBackup, newUsers] = await Promise.all([
    measureQueues(db),
    countStudyStates(db),
    listNodes(db, MAX_NODES),
    measureStudiesSince(db, midnight),
    countActiveAccounts(db, midnight),
    findLastBackup(db),
    listNewUsers(db, new Date(now.getTime() - NEW_ACCOUNT_MS), MAX_NEW_ACCOUNTS),
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
    today: { ...came, people },
    lastBackupAt: lastBackup?.toISOString() ?? null,
    newAccounts: newUsers.map(({ id, name, role, createdAt }) => ({
      id,
      name,
      role,
      createdAt: createdAt.toISOString(),
    })),
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
