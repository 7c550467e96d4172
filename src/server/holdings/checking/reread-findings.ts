import type { Deps } from "../../deps.ts";
import { ownerOf } from "../object-owners.ts";
import { listFindingsToReread } from "./findings.repo.ts";

/** Each of them may be a large exam; the next minute takes the next ones. */
const AT_ONCE = 20;

/**
 * Has the exams of recent damage read again: a store that answered wrong bytes for a moment is then not taken for one that lost them. The
 * pauses double, from ten minutes up, and end a day after the damage was found.
 */
export async function rereadFindings({
  db,
  clock,
  owners,
}: Pick<Deps, "db" | "clock" | "owners">): Promise<void> {
  for (const finding of await listFindingsToReread(db, clock.now(), AT_ONCE)) {
    const examId = finding.studyId ?? finding.labExamId;
    if (examId !== null) await db.transaction((tx) => ownerOf(owners, finding).enqueueCheck(tx, examId));
  }
}
