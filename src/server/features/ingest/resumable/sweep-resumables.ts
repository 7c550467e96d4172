import type { Deps } from "../../../deps.ts";
import { areDeletionsHeld } from "../../../holdings/deletion-hold.repo.ts";
import { describeError } from "../../../runtime/log.ts";
import {
  endExpired,
  findKnownResumables,
  forgetResumable,
  listForgettable,
  listUnremoved,
  markRemoved,
} from "./ended-resumables.repo.ts";

const UPLOADS_AT_ONCE = 500;
/** What a node was sending to the store when its upload ended may still arrive, so it is looked for again. */
const SECOND_LOOK_MS = 3600_000;

type SweepDeps = Pick<Deps, "arriving" | "db" | "clock" | "databaseClock" | "log">;

/** Ends what expired, and removes bytes that no upload needs any more. What can't be removed now is left to the next sweep. */
export async function sweepResumables(deps: SweepDeps, signal: AbortSignal): Promise<void> {
  const now = await deps.databaseClock.nowForDeletion(deps.db);
  await endExpired(deps.db, now);
  const before = new Date(now.getTime() - SECOND_LOOK_MS);
  const forgettable = await listForgettable(deps.db, before, UPLOADS_AT_ONCE);
  for (const id of [...forgettable, ...(await listUnremoved(deps.db, UPLOADS_AT_ONCE))]) {
    signal.throwIfAborted();
    try {
      const isRemoved = await removeResumableBytes(deps, id);
      if (isRemoved && forgettable.includes(id)) await forgetResumable(deps.db, id);
    } catch (error) {
      deps.log.warn("upload.sweep_failed", describeError(error));
    }
  }
}

/** Removes the bytes of an upload that ended, unless a backup may need them; then returns `false`. Idempotent. */
export async function removeResumableBytes(
  { arriving, db, clock }: Pick<SweepDeps, "arriving" | "db" | "clock">,
  id: string,
): Promise<boolean> {
  if (await areDeletionsHeld(db)) return false;
  await arriving.remove(id);
  await markRemoved(db, id, clock.now());
  return true;
}

/** Removes what a former run of this node left on its disk and no row names. */
export async function sweepArriving({
  arriving,
  db,
  databaseClock,
}: Pick<SweepDeps, "arriving" | "db" | "databaseClock">): Promise<void> {
  const now = await databaseClock.nowForDeletion(db);
  await arriving.sweep((ids) => findKnownResumables(db, ids), now);
}
