import type { Deps } from "../../deps.ts";
import { FairTurns } from "../../runtime/fair-turns.ts";
import type { UploadPlace } from "./plan-build.ts";
import type { ScanResult } from "./worker/worker-messages.ts";

const turns = new FairTurns({ turns: Number.POSITIVE_INFINITY, turnsPerAccount: 1 });

/**
 * Waits until no other upload of this node builds a study that this one adds to, and keeps others waiting until it is disposed of.
 * Whichever of them commits first makes the plans of the others stale, so that one could be beaten each time it plans again.
 * @throws the reason of `signal`, which ends the wait
 */
export async function takeStudyTurns(
  { node }: Pick<Deps, "node">,
  { accountId }: Pick<UploadPlace, "accountId">,
  { studies }: Pick<ScanResult, "studies">,
  signal: AbortSignal,
): Promise<Disposable> {
  using taken = new DisposableStack();
  // All take them in one order, so that no two wait for each other.
  for (const uid of [...new Set(studies.map(({ studyInstanceUID }) => studyInstanceUID))].sort())
    taken.use(await turns.take(`${node.bootId} ${accountId} ${uid}`, signal));
  return taken.move();
}
