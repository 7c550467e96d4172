import type { OperatedNode, Operations } from "../../../shared/api/operations.ts";
import { DAY_MS } from "../../../shared/units.ts";
import type { Deps } from "../../deps.ts";
import { createSharedCheck } from "../../http/shared-check.ts";
import { measureQueues } from "../../jobs/queue-depths.repo.ts";
import { listNodes, type SeenNode } from "../../nodes/nodes.repo.ts";
import { startOfDayInBrazil } from "../../runtime/brazil-time.ts";
import { DiskFull } from "../../storage/disk/disk-room.ts";
import { diskStateOf } from "../../storage/disk/disk-space.ts";
import type { StoreRefusal } from "../../storage/object-store.ts";
import { countActiveAccounts } from "../accounts/sessions/sessions.repo.ts";
import { listNewUsers } from "../accounts/users/users.repo.ts";
import type { UserRow } from "../accounts/users/users.table.ts";
import { countWaitingUsers, listWaitingUsers } from "../accounts/users/waiting-users.repo.ts";
import { countUnsoundLabExams } from "../labs/labs.repo.ts";
import { findLastBackup } from "../safekeeping/backups.repo.ts";
import { countStudyStates, measureStudiesSince } from "../studies/study-states.repo.ts";
import { splitDepths } from "./queue-families.ts";
import { countStudies } from "./study-families.ts";

const MAX_NODES = 100;
const MAX_NEW_ACCOUNTS = 5;
const NEW_ACCOUNT_MS = 7 * DAY_MS;

/** Returns whether this node's disk takes bytes at all. A full one does. */
export function createDiskCheck({ disk }: Pick<Deps, "disk">): () => Promise<boolean> {
  const check = async () => {
    try {
      await disk.check();
    } catch (error) {
      if (!(error instanceof DiskFull)) throw error;
    }
  };
  return createSharedCheck(check, { freshMs: 0 });
}

/** What an admin is shown of the whole installation: jobs, bytes at rest, nodes and their disks. */
export async function readOperations(
  { db, node, store, clock }: Pick<Deps, "db" | "node" | "store" | "clock">,
  takesBytes: () => Promise<boolean>,
): Promise<Operations> {
  const now = clock.now();
  const midnight = startOfDayInBrazil(now);
  const [
    queues,
    states,
    labExams,
    nodes,
    came,
    people,
    lastBackup,
    newUsers,
    waiting,
    waitingAccounts,
    isWritable,
  ] = await Promise.all([
    measureQueues(db),
    countStudyStates(db),
    countUnsoundLabExams(db),
    listNodes(db, MAX_NODES),
    measureStudiesSince(db, midnight),
    countActiveAccounts(db, midnight),
    findLastBackup(db),
    listNewUsers(db, new Date(now.getTime() - NEW_ACCOUNT_MS), MAX_NEW_ACCOUNTS),
    listWaitingUsers(db, MAX_NEW_ACCOUNTS),
    countWaitingUsers(db),
    takesBytes(),
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
    labExams,
    nodes: nodes.map((seen) =>
      presentNode(seen, { id: node.id, isWritable, storeRefusal: store.refusal?.() ?? null }),
    ),
    today: { ...came, people },
    lastBackupAt: lastBackup?.toISOString() ?? null,
    waitingAccounts,
    newAccounts: presentAccounts(waiting, newUsers),
  };
}

function presentAccounts(waiting: UserRow[], newUsers: UserRow[]): Operations["newAccounts"] {
  const ids = new Set(waiting.map(({ id }) => id));
  return [...waiting, ...newUsers.filter(({ id }) => !ids.has(id))]
    .slice(0, MAX_NEW_ACCOUNTS)
    .map(({ id, name, role, createdAt }) => {
      return { id, name, role, createdAt: createdAt.toISOString(), isWaiting: ids.has(id) };
    });
}

interface Self {
  id: string;
  isWritable: boolean;
  storeRefusal: StoreRefusal | null;
}

function presentNode(seen: SeenNode, self: Self): OperatedNode {
  const { id, state, version, diskFreeBytes: freeBytes, diskSizeBytes: sizeBytes } = seen;
  const space = freeBytes === null || sizeBytes === null ? null : { freeBytes, sizeBytes };
  const isThis = id === self.id;
  // The node that answers has looked just now; of the others their last beat tells.
  const takesBytes = isThis ? self.isWritable : seen.diskTakesBytes !== false;
  const diskState = takesBytes ? space && diskStateOf(space) : "read_only";
  return {
    id,
    isThis,
    state,
    version,
    startedAt: seen.startedAt.toISOString(),
    lastBeatAt: seen.lastBeatAt.toISOString(),
    disk: space && diskState && { state: diskState, ...space },
    storeRefusal: isThis ? self.storeRefusal : seen.storeRefusal,
  };
}
