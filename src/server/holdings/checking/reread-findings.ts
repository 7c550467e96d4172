import { MINUTE_MS } from "../../../shared/units.ts";
import type { Deps } from "../../deps.ts";
import { describeError } from "../../runtime/log.ts";
import { ownerOf } from "../object-owners.ts";
import { listFindingsToReread } from "./findings.repo.ts";

/** Each of them may be a large exam; the next minute takes the next ones. */
const AT_ONCE = 20;
const MIN_PAUSE_MS = 10 * MINUTE_MS;

/** Until when this node asks for no read of a finding's exam, in milliseconds by the finding's id. */
export type AskedRereads = Map<string, number>;

/**
 * Has the exams of recent damage read again: a store that answered wrong bytes for a moment is then not taken for one that lost them. The
 * pauses double, from ten minutes up, and end a day after the damage was found. A failure is logged only, as the next minute tries again.
 * @param asked kept from turn to turn, so that a read that fails, as while the store is away, is not asked for again each minute
 */
export async function rereadFindings(
  deps: Pick<Deps, "db" | "clock" | "owners" | "log">,
  asked: AskedRereads,
): Promise<void> {
  try {
    await askForRereads(deps, asked);
  } catch (error) {
    deps.log.warn("integrity.reread_stopped", describeError(error));
  }
}

async function askForRereads(
  { db, clock, owners }: Pick<Deps, "db" | "clock" | "owners">,
  asked: AskedRereads,
): Promise<void> {
  const now = clock.now();
  for (const [id, until] of asked) if (until <= now.getTime()) asked.delete(id);
  for (const finding of await listFindingsToReread(db, now, { except: [...asked.keys()], limit: AT_ONCE })) {
    const { id, foundAt, studyId, labExamId } = finding;
    const examId = studyId ?? labExamId;
    if (examId !== null) await db.transaction((tx) => ownerOf(owners, finding).enqueueCheck(tx, examId));
    asked.set(id, now.getTime() + Math.max(now.getTime() - foundAt.getTime(), MIN_PAUSE_MS));
  }
}
