import type { UsageItem } from "../../../shared/api/subscriptions.ts";
import { uuidOf } from "../../../shared/uuid.ts";
import type { Deps } from "../../deps.ts";
import { type Caller, findVisibleStudiesByUIDs } from "../studies/studies.repo.ts";
import type { StudyRow } from "../studies/studies.table.ts";
import { listUsageEvents } from "../subscriptions/usage-events.repo.ts";

/** The newest activities of the caller, each with its study as the caller sees it now. */
export async function readUsageHistory(
  { db }: Pick<Deps, "db">,
  caller: Caller,
  limit: number,
): Promise<UsageItem[]> {
  const events = await listUsageEvents(db, caller.userId, limit);
  const uids = [...new Set(events.map(({ studyInstanceUID }) => studyInstanceUID))];
  const studies = await findVisibleStudiesByUIDs(db, caller, uids);
  return events.map(({ id, actionType, studyInstanceUID, timestamp }) => ({
    id: uuidOf(timestamp, id),
    actionType,
    studyInstanceUID,
    study: presentStudy(studies.get(studyInstanceUID)),
    timestamp: timestamp.toISOString(),
  }));
}

function presentStudy(study: StudyRow | undefined): UsageItem["study"] {
  if (!study) return null;
  const { id, description, patientName, studyDate } = study;
  return { id, studyDescription: description, patientName, studyDate };
}
