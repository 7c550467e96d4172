import type { Deps } from "./deps.ts";
import { enqueueStagedTransfers, scheduleSweep } from "./holdings/holdings.jobs.ts";
import { queuesOf } from "./holdings/sweeping/sweep-dead-nodes.ts";
import { scheduleOutboxSweep } from "./mail/mail.jobs.ts";

/**
 * Resumes this node's queues after a pause in which other nodes may have taken it for dead and emptied them: only this
 * node can finish the uploads on its disk.
 */
export async function reviveNode(deps: Pick<Deps, "db" | "jobs" | "node">): Promise<void> {
  for (const queue of queuesOf(deps.node.id)) await deps.jobs.reopen(queue);
  await scheduleSweep(deps);
  await scheduleOutboxSweep(deps);
  await enqueueStagedTransfers(deps);
}
