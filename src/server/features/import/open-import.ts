import { setTimeout as pause } from "node:timers/promises";
import type { Deps } from "../../deps.ts";
import { healQueue } from "../../holdings/holding-queues.ts";
import { startOwnJobs } from "../../holdings/holdings.jobs.ts";
import { listStagedUploads } from "../../holdings/objects/stored-objects.repo.ts";
import { queuesOf } from "../../holdings/sweeping/sweep-dead-nodes.ts";
import { endDeadUploads, sweepOwnUploads } from "../../holdings/sweeping/sweep-uploads.ts";
import { startBeating } from "../../nodes/beat.ts";
import { holdOnceFree } from "../../nodes/hold-node.ts";
import { markNodeSwept } from "../../nodes/nodes.repo.ts";
import { ImportIsRunning, ImportStopped } from "./import.errors.ts";

const POLL_MS = 100;
/** The database notices a moment later that a killed import is gone. */
const HOLD_PATIENCE_MS = 5_000;
/** How long the end waits for the staging area to be empty. What is left then is finished by the next run, or by another node. */
const MOST_POLLS = 600;

/** An import as a node: other nodes take over from it if it is killed. */
export interface OpenImport extends AsyncDisposable {
  /** @throws {ImportStopped} when the database has lost sight of this process */
  assertHeld(): Promise<void>;
}

/**
 * Begins to run as a node of its own, after removing what a killed run left on this DATA_DIR. `deps` are those of a node whose
 * uploads are in the store before they are committed, so that nothing acknowledged depends on it.
 * @throws {ImportIsRunning}
 */
export async function openImport(deps: Deps, databaseUrl: string): Promise<OpenImport> {
  const { node, jobs, db } = deps;
  await using opened = new AsyncDisposableStack();
  const hold = await holdOnceFree(databaseUrl, node.id, HOLD_PATIENCE_MS);
  if (!hold) throw new ImportIsRunning();
  opened.use(hold);
  // A killed run's jobs would come back once their heartbeat is missed, perhaps when nobody works here any more.
  for (const queue of queuesOf(node.id)) await jobs.empty(queue, { isDead: true });
  // A node that has left counts as swept, so that nobody looks for it, and takes no more jobs of its own.
  opened.defer(() => jobs.empty(healQueue(node.id)));
  opened.defer(() => db.transaction((tx) => markNodeSwept(tx, node.id)));
  opened.use(
    await startBeating(deps, async () => {
      for (const queue of queuesOf(node.id)) await jobs.reopen(queue);
    }),
  );
  await endDeadUploads(deps);
  await sweepOwnUploads(deps);
  await startOwnJobs(deps);
  opened.defer(() => emptyStaging(deps));
  const held = opened.move();
  return {
    async assertHeld() {
      if (!(await hold.isHeld()))
        throw new ImportStopped("the connection to the database was lost", undefined);
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** Waits until the transfers have removed what the store has. */
async function emptyStaging({ db, node, log }: Pick<Deps, "db" | "node" | "log">): Promise<void> {
  for (let polls = 0; (await listStagedUploads(db, node.id)).length > 0; polls++) {
    if (polls === MOST_POLLS) return log.warn("import.staged_left");
    await pause(POLL_MS);
  }
}
