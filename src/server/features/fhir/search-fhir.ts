import type { Deps } from "../../deps.ts";
import type { Session } from "../../http/session.ts";
import { seriesRecord, studyRecord } from "../dicomweb/catalogue/open-catalogue.ts";
import { findLastChanges } from "../exchange/changed-condition.repo.ts";
import { countStudies } from "../exchange/count-studies.repo.ts";
import { searchStudies } from "../exchange/search.repo.ts";
import { listReportsOf } from "../reports/reports.repo.ts";
import { listSeriesOf } from "../studies/studies.repo.ts";
import type { StudyRow } from "../studies/studies.table.ts";
import { diagnosticReport } from "./diagnostic-report.ts";
import { type Elements, subsetOf } from "./elements.ts";
import type { FhirResource } from "./fhir-resource.ts";
import { imagingStudy } from "./imaging-study.ts";
import type { FhirSearch } from "./parse-fhir-search.ts";

/** Series on one page, which has fewer studies if theirs are more. */
const MAX_SERIES = 2_000;

export interface FoundPage {
  matches: FhirResource[];
  /** What comes along with the matches, where the search wants it. */
  brought: FhirResource[];
  /** Where the next page begins; undefined after the last one. */
  next: number | undefined;
  /** How many matches there are on all pages, where the search wants to know. */
  total: number | undefined;
}

type Search = Omit<FhirSearch, "used">;

/** A page of studies that the caller may see, newest first. */
export async function searchImagingStudies(
  { db }: Pick<Deps, "db">,
  session: Session,
  search: Search,
  fhirUrl: string,
): Promise<FoundPage> {
  const { elements } = search;
  const hasSeries = elements?.has("series") ?? true;
  const { rows, ...page } = await pageOf({ db }, session, search, { hasReport: false, hasSeries });
  const brought = search.brought.has("DiagnosticReport") ? await presentReports(db, rows, fhirUrl) : [];
  const studies = await presentStudies(db, rows, hasSeries);
  return { ...page, matches: studies.map((study) => subsetOf(study, elements)), brought };
}

/** A page of the reports of studies that the caller may see, those of the newest study first. */
export async function searchDiagnosticReports(
  { db }: Pick<Deps, "db">,
  session: Session,
  search: Search,
  fhirUrl: string,
): Promise<FoundPage> {
  const hasSeries = search.brought.has("ImagingStudy");
  const { rows, ...page } = await pageOf({ db }, session, search, { hasReport: true, hasSeries });
  const brought = hasSeries ? await presentStudies(db, rows) : [];
  const reports = await presentReports(db, rows, fhirUrl);
  return { ...page, matches: reports.map((report) => subsetOf(report, search.elements)), brought };
}

/** One study that the caller may see, by its id. */
export async function findStudyForFhir(
  deps: Pick<Deps, "db">,
  session: Session,
  id: string,
): Promise<StudyRow | undefined> {
  const { rows } = await pageOf(deps, session, searchOfOne(id), { hasReport: false, hasSeries: false });
  return rows[0];
}

/** The search that finds one resource by its id, which is its study's. */
export function searchOfOne(id: string, elements?: Elements): Search {
  return {
    ids: [id],
    matches: [],
    series: [],
    changed: [],
    limit: 1,
    offset: 0,
    elements,
    brought: new Set(),
    isCounted: false,
  };
}

async function presentStudies(
  db: Deps["db"],
  rows: readonly StudyRow[],
  hasSeries = true,
): Promise<FhirResource[]> {
  const ids = rows.map(({ id }) => id);
  const [series, changes] = await Promise.all([
    hasSeries ? listSeriesOf(db, ids) : [],
    findLastChanges(db, ids),
  ]);
  const byStudy = Map.groupBy(series, ({ studyId }) => studyId);
  return rows.map((row) => {
    const records = byStudy.get(row.id)?.map((one) => seriesRecord(row.studyInstanceUID, one));
    return imagingStudy(row.id, studyRecord(row), records ?? [], changes.get(row.id));
  });
}

/** The reports of those studies that have one. */
async function presentReports(
  db: Deps["db"],
  rows: readonly StudyRow[],
  fhirUrl: string,
): Promise<FhirResource[]> {
  const reports = await listReportsOf(
    db,
    rows.map(({ id }) => id),
  );
  const byStudy = new Map(reports.map((report) => [report.studyId, report]));
  return rows.flatMap((row) => {
    const report = byStudy.get(row.id);
    return report ? [diagnosticReport(row.id, studyRecord(row), report, fhirUrl)] : [];
  });
}

interface FoundRows extends Pick<FoundPage, "next" | "total"> {
  rows: StudyRow[];
}

interface PageOf {
  /** Whether studies without a report are left out. */
  hasReport: boolean;
  /** Whether the page has the series of its studies, which bound it. */
  hasSeries: boolean;
}

async function pageOf(
  { db }: Pick<Deps, "db">,
  session: Session,
  { ids, matches, series, changed, limit, offset, isCounted }: Search,
  { hasReport, hasSeries }: PageOf,
): Promise<FoundRows> {
  const wanted = {
    caller: session,
    isGrantedOnly: !session.hasActiveSubscription,
    ofStudy: matches,
    ofSeries: [],
    seriesInstanceUIDs: series,
    ids,
    changed,
    hasReport,
  };
  const total = isCounted ? await countStudies(db, wanted) : undefined;
  if (limit === 0) return { rows: [], next: undefined, total };
  const found = await searchStudies(db, { ...wanted, limit: limit + 1, offset });
  const page = found.slice(0, limit);
  const rows = hasSeries ? withinSeries(page) : page;
  return { rows, next: rows.length < found.length ? offset + rows.length : undefined, total };
}

/** The first studies whose series fit on one page; at least one. */
function withinSeries(rows: StudyRow[]): StudyRow[] {
  let series = 0;
  return rows.filter((row, i) => {
    series += row.seriesCount;
    return i === 0 || series <= MAX_SERIES;
  });
}
