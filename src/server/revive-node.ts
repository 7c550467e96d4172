import type { Deps } from "./deps.ts";
import { enqueueStagedTransfers, scheduleSweep } from "./holdings/holdings.jobs.ts";
import { queuesOf } from "./holdings/sweeping/sweep-dead-nodes.ts";

/** After a pause in which others may have taken this node for dead and emptied its queues: what it holds is its to finish. */
export async function reviveNode(deps: Pick<Deps, "db" | "jobs" | "node">): Promise<void> {
  for (const queue of queuesOf(deps.node.id)) await deps.jobs.reopen(queue);
  await scheduleSweep(deps);
  await enqueueStagedTransfers(deps);
}
