import type { Visit } from "../../../shared/api/links.ts";
import type { Deps } from "../../deps.ts";
import { presentIndex } from "../studies/present-index.ts";
import { documentsAmong, presentSeries } from "../studies/present-series.ts";
import type { StudyRow } from "../studies/studies.table.ts";
import { countStudiesAtFirst, type LinkStanding, listSeriesOfStudies } from "./visits.repo.ts";

/** The most series that one answer lists, of all studies together. */
const MAX_SERIES = 2_000;

/** What a visitor is told: the studies, and of the account nothing but its name. */
export async function presentVisit(
  deps: Pick<Deps, "db">,
  { token, link, studies }: { token: string; link: LinkStanding; studies: StudyRow[] },
): Promise<Visit> {
  const studyIds = studies.map(({ id }) => id);
  const series = await listSeriesOfStudies(deps.db, studyIds, MAX_SERIES);
  const removed = (await countStudiesAtFirst(deps.db, link.id)) - studies.length;
  return {
    token,
    owner: link.ownerName,
    recipient: link.recipient,
    expiresAt: link.expiresAt.toISOString(),
    laudo: link.laudo,
    download: link.download,
    ...(removed > 0 && { studiesRemoved: removed }),
    studies: studies.map((study) => {
      const own = series.filter(({ studyId }) => studyId === study.id);
      const documents = documentsAmong(own);
      return {
        ...presentIndex(study),
        ...(documents > 0 && { documentsReceived: documents }),
        laudo: study.hasReport && link.laudo,
        series: own.map(presentSeries),
      };
    }),
  };
}
