import { MINUTE_MS } from "../../../shared/units.ts";
import type { Deps } from "../../deps.ts";
import { describeError } from "../../runtime/log.ts";
import { onDisk } from "../../storage/disk/fs-failure.ts";
import { ObjectNotFound, StoreUnavailable } from "../../storage/object-store.ts";
import { ownerOf } from "../object-owners.ts";
import { findBytes, isElsewhere } from "../object-sources.ts";
import type { StoreDeps } from "../reading/stored-bytes.ts";
import { soughtOf, sourcesOf } from "./check-object.ts";
import { listFindingsToReread, noteStillMissing } from "./findings.repo.ts";
import type { FindingRow } from "./findings.table.ts";
import type { Damage } from "./integrity.ts";

type RereadDeps = StoreDeps & Pick<Deps, "db" | "clock" | "owners">;

/** Each of them may be a large exam; the next minute takes the next ones. */
const AT_ONCE = 20;
const MIN_PAUSE_MS = MINUTE_MS;

/** Until when this node asks for no read of a finding's exam, in milliseconds by the finding's id. */
export type AskedRereads = Map<string, number>;

/**
 * Has the exams of recent findings read again: a store that answered wrong bytes for a moment is then not taken for one that lost them.
 * What was missing is looked for first, apart from damage, for which it may be too much. The pauses double, from a minute up, and end a day
 * after the finding. A failure is logged only, as the next minute tries again.
 * @param asked kept from turn to turn, so that a read that fails, as while the store is away, is not asked for again each minute
 */
export async function rereadFindings(
  deps: RereadDeps & Pick<Deps, "log">,
  asked: AskedRereads,
): Promise<void> {
  const now = deps.clock.now();
  for (const [id, until] of asked) if (until <= now.getTime()) asked.delete(id);
  try {
    await askForRereads(deps, { found: "damaged", asked, now });
    await askForRereads(deps, { found: "missing", asked, now });
  } catch (error) {
    deps.log.warn("integrity.reread_stopped", describeError(error));
  }
}

async function askForRereads(
  deps: RereadDeps,
  { found, asked, now }: { found: Damage; asked: AskedRereads; now: Date },
): Promise<void> {
  const { db, owners } = deps;
  const due = await listFindingsToReread(db, now, { found, except: [...asked.keys()], limit: AT_ONCE });
  // Reads of a store that is away would only fail.
  if (due.length > 0) await sourcesOf(deps).store.check();
  for (const finding of due) {
    const { id, foundAt, studyId, labExamId } = finding;
    const examId = studyId ?? labExamId;
    asked.set(id, now.getTime() + Math.max(now.getTime() - foundAt.getTime(), MIN_PAUSE_MS));
    if (examId === null || (found === "missing" && !(await isBack(deps, finding, now)))) continue;
    await db.transaction((tx) => ownerOf(owners, finding).enqueueCheck(tx, examId));
  }
}

/** Whether a missing object can be read again; notes when it can't. @throws {StoreUnavailable} if the store as a whole is out of reach */
async function isBack(deps: RereadDeps, finding: FindingRow, now: Date): Promise<boolean> {
  const { db, owners } = deps;
  const sources = sourcesOf(deps);
  const object = await ownerOf(owners, finding).findObject(db, finding.objectId);
  const sought = object && soughtOf(object);
  if (sought && isElsewhere(sought, sources)) return false;
  try {
    const found = sought && (await onDisk(() => findBytes(sources, sought)));
    // A store may list what it does not give.
    if (found && found.path === undefined && found.sizeBytes > 0)
      await sources.store.read(finding.key, { offset: 0, length: 1 });
    if (found) return true;
  } catch (error) {
    if (error instanceof StoreUnavailable) await sources.store.check();
    else if (!(error instanceof ObjectNotFound)) throw error;
  }
  await noteStillMissing(db, finding.id, now);
  return false;
}
