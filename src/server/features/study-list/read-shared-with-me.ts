import { MAX_HOME_STUDIES, type SharedStudy, type SharedWithMe } from "../../../shared/api/shared-studies.ts";
import type { Deps } from "../../deps.ts";
import type { Session } from "../../http/session.ts";
import { findReportsBy } from "../reports/reports.repo.ts";
import { countDocuments } from "./documents.repo.ts";
import { presentStudy } from "./present-study.ts";
import { countSharedStudies, listSharedStudies, type SharedPart } from "./shared-studies.repo.ts";

/** What others share with the caller: new, seen, and what they are asked to report on. */
export async function readSharedWithMe({ db }: Pick<Deps, "db">, session: Session): Promise<SharedWithMe> {
  const { userId } = session;
  const partOf = async (part: SharedPart): Promise<SharedStudy[]> => {
    const rows = await listSharedStudies(db, userId, part, MAX_HOME_STUDIES);
    const studies = rows.map(({ study }) => study);
    const ids = studies.map(({ id }) => id);
    const [reported, documents] = await Promise.all([
      findReportsBy(db, userId, ids),
      countDocuments(db, studies),
    ]);
    return rows.map((row) => ({
      study: presentStudy(row, session, {
        isReportByCaller: reported.has(row.study.id),
        documents: documents.get(row.study.id),
      }),
      sharedAt: row.sharedAt.toISOString(),
      seenAt: row.seenAt?.toISOString() ?? null,
    }));
  };
  const [counts, fresh, seen, awaiting] = await Promise.all([
    countSharedStudies(db, userId),
    partOf("fresh"),
    partOf("seen"),
    partOf("awaiting"),
  ]);
  return { total: counts.total, freshTotal: counts.fresh, fresh, seen, awaiting };
}
