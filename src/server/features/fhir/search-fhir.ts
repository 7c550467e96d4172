import type { Deps } from "../../deps.ts";
import type { Session } from "../../http/session.ts";
import { seriesRecord, studyRecord } from "../dicomweb/open-catalogue.ts";
import { searchStudies } from "../exchange/search.repo.ts";
import { listReportsOf } from "../reports/reports.repo.ts";
import { listSeriesOf } from "../studies/studies.repo.ts";
import type { StudyRow } from "../studies/studies.table.ts";
import { diagnosticReport } from "./diagnostic-report.ts";
import type { FhirResource } from "./fhir-resource.ts";
import { imagingStudy } from "./imaging-study.ts";
import type { FhirSearch } from "./parse-fhir-search.ts";

/** Series on one page, which has fewer studies if theirs are more. */
const MAX_SERIES = 2_000;

export interface FoundPage {
  resources: FhirResource[];
  /** Where the next page begins; undefined after the last one. */
  next: number | undefined;
}

type Search = Pick<FhirSearch, "ids" | "matches" | "limit" | "offset">;

/** A page of studies that the caller may see, newest first. */
export async function searchImagingStudies(
  { db }: Pick<Deps, "db">,
  session: Session,
  search: Search,
): Promise<FoundPage> {
  const { rows, hasMore } = await pageOf({ db }, session, search, false);
  const shown = withinSeries(rows);
  const series = await listSeriesOf(
    db,
    shown.map(({ id }) => id),
  );
  const bySeries = Map.groupBy(series, ({ studyId }) => studyId);
  const resources = shown.map((row) => {
    const records = bySeries.get(row.id)?.map((one) => seriesRecord(row.studyInstanceUID, one));
    return imagingStudy(row.id, studyRecord(row), records ?? []);
  });
  const isWhole = !hasMore && shown.length === rows.length;
  return { resources, next: isWhole ? undefined : search.offset + shown.length };
}

/** A page of the reports of studies that the caller may see, those of the newest study first. */
export async function searchDiagnosticReports(
  { db }: Pick<Deps, "db">,
  session: Session,
  search: Search,
  fhirUrl: string,
): Promise<FoundPage> {
  const { rows, hasMore } = await pageOf({ db }, session, search, true);
  const reports = await listReportsOf(
    db,
    rows.map(({ id }) => id),
  );
  const byStudy = new Map(reports.map((report) => [report.studyId, report]));
  const resources = rows.flatMap((row) => {
    const report = byStudy.get(row.id);
    return report ? [diagnosticReport(row.id, studyRecord(row), report, fhirUrl)] : [];
  });
  return { resources, next: hasMore ? search.offset + rows.length : undefined };
}

/** One study that the caller may see, by its id. */
export async function findStudyForFhir(
  deps: Pick<Deps, "db">,
  session: Session,
  id: string,
): Promise<StudyRow | undefined> {
  const { rows } = await pageOf(deps, session, { ids: [id], matches: [], limit: 1, offset: 0 }, false);
  return rows[0];
}

async function pageOf(
  { db }: Pick<Deps, "db">,
  session: Session,
  { ids, matches, limit, offset }: Search,
  hasReport: boolean,
): Promise<{ rows: StudyRow[]; hasMore: boolean }> {
  const rows = await searchStudies(db, {
    ...{ limit: limit + 1, offset, caller: session, isGrantedOnly: !session.hasActiveSubscription },
    ...{ ofStudy: matches, ofSeries: [], ids, hasReport },
  });
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
}

/** The first studies whose series fit on one page; at least one. */
function withinSeries(rows: StudyRow[]): StudyRow[] {
  let series = 0;
  return rows.filter((row, i) => {
    series += row.seriesCount;
    return i === 0 || series <= MAX_SERIES;
  });
}
