import { MINUTE_MS } from "../../../shared/units.ts";
import type { Deps } from "../../deps.ts";
import { describeError } from "../../runtime/log.ts";
import { ObjectNotFound } from "../../storage/object-store.ts";
import { ownerOf } from "../object-owners.ts";
import type { StoreDeps } from "../reading/stored-bytes.ts";
import { sourcesOf } from "./check-object.ts";
import { listFindingsToReread } from "./findings.repo.ts";
import type { FindingRow } from "./findings.table.ts";

type RereadDeps = StoreDeps & Pick<Deps, "db" | "clock" | "owners">;

/** Each of them may be a large exam; the next minute takes the next ones. */
const AT_ONCE = 20;
const MIN_PAUSE_MS = MINUTE_MS;

/** Until when this node asks for no read of a finding's exam, in milliseconds by the finding's id. */
export type AskedRereads = Map<string, number>;

/**
 * Has the exams of recent findings read again: a store that answered wrong bytes for a moment is then not taken for one that lost them.
 * What was missing is looked for first. The pauses double, from a minute up, and end a day after the finding. A failure is logged only, as
 * the next minute tries again.
 * @param asked kept from turn to turn, so that a read that fails, as while the store is away, is not asked for again each minute
 */
export async function rereadFindings(
  deps: RereadDeps & Pick<Deps, "log">,
  asked: AskedRereads,
): Promise<void> {
  try {
    await askForRereads(deps, asked);
  } catch (error) {
    deps.log.warn("integrity.reread_stopped", describeError(error));
  }
}

async function askForRereads(deps: RereadDeps, asked: AskedRereads): Promise<void> {
  const { db, clock, owners } = deps;
  const now = clock.now();
  for (const [id, until] of asked) if (until <= now.getTime()) asked.delete(id);
  for (const finding of await listFindingsToReread(db, now, { except: [...asked.keys()], limit: AT_ONCE })) {
    const { id, foundAt, studyId, labExamId } = finding;
    const examId = studyId ?? labExamId;
    asked.set(id, now.getTime() + Math.max(now.getTime() - foundAt.getTime(), MIN_PAUSE_MS));
    if (examId === null || !(await mayBeRight(deps, finding))) continue;
    await db.transaction((tx) => ownerOf(owners, finding).enqueueCheck(tx, examId));
  }
}

/** Whether a read of the exam may find more than is known. @throws {StoreUnavailable} */
async function mayBeRight(deps: RereadDeps, { key, found }: FindingRow): Promise<boolean> {
  if (found === "damaged") return true;
  try {
    await sourcesOf(deps).store.read(key, { offset: 0, length: 1 });
    return true;
  } catch (error) {
    if (error instanceof ObjectNotFound) return false;
    throw error;
  }
}
