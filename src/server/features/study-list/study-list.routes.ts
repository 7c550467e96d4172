import { Hono } from "hono";
import { sharedWithMeCall } from "../../../shared/api/shared-studies.ts";
import { listStudiesCall, readStudyCall } from "../../../shared/api/studies.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import type { Session } from "../../http/session.ts";
import { sayTotal, totalCount } from "../../http/total-count.ts";
import { validate } from "../../http/validate.ts";
import { findReportsBy } from "../reports/reports.repo.ts";
import { findStudy } from "../studies/access/find-study.ts";
import { owns } from "../studies/access/study-access.ts";
import { studyAmbiguous, studyNotFound } from "../studies/studies.errors.ts";
import { countDocuments } from "./documents.repo.ts";
import { pageOfStudies } from "./list-studies.ts";
import { presentStudy } from "./present-study.ts";
import { readSharedWithMe } from "./read-shared-with-me.ts";
import { findListedStudy, type StudyListRow } from "./study-list.repo.ts";

const describe = describeIn("Studies");
const viewing = { subscription: "viewing", scope: "api" } as const;

/** The list of studies, and one study as the list shows it. */
export function createStudyListRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.get(
    listStudiesCall.path,
    guard(viewing),
    describe(listStudiesCall, {
      summary: "List the studies that the caller may see",
      details:
        "Newest first. Text filters ignore case and accents. Each word of `search` must be in the patient, patient ID, accession " +
        "number, description, institution or modality. Without `limit` all come, up to 10,000.",
      headers: {
        ...totalCount,
        "X-Several-Patients": "`true` if the studies that the caller may see are of more than one patient.",
      },
    }),
    validate("query", listStudiesCall.query),
    async (c) => {
      const session = c.get("session");
      const query = c.req.valid("query");
      const { rows, total, hasSeveralPatients } = await pageOfStudies(deps, session, query);
      const present = await presenter(deps, session, rows);
      sayTotal(c, total);
      c.header("X-Several-Patients", String(hasSeveralPatients));
      c.header("Cache-Control", "private, no-store");
      return c.json(rows.map(present));
    },
  );

  routes.get(
    readStudyCall.path,
    guard(viewing),
    describe(readStudyCall, { summary: "Read a study", problems: [studyNotFound, studyAmbiguous] }),
    async (c) => {
      const session = c.get("session");
      const { id } = await findStudy(deps.db, session, c.req.param("study"));
      const row = await findListedStudy(deps.db, id);
      if (!row) throw new AppError(studyNotFound);
      const present = await presenter(deps, session, [row]);
      c.header("Cache-Control", "private, no-store");
      return c.json(present(row));
    },
  );

  routes.get(
    sharedWithMeCall.path,
    guard(viewing),
    describe(sharedWithMeCall, {
      summary: "Read what others share with the caller",
      details:
        "At most six of each kind: never opened, opened last, and those whose owner asks for a report.",
    }),
    async (c) => {
      c.header("Cache-Control", "private, no-store");
      return c.json(await readSharedWithMe(deps, c.get("session")));
    },
  );

  return routes;
}

/** Reads what these rows are shown with, and returns what presents them. */
async function presenter({ db }: Pick<Deps, "db">, session: Session, rows: StudyListRow[]) {
  const [reported, documents] = await Promise.all([
    findReportsBy(db, session.userId, grantedWithReport(session, rows)),
    countDocuments(
      db,
      rows.map(({ study }) => study),
    ),
  ]);
  return (row: StudyListRow) => {
    const { id } = row.study;
    return presentStudy(row, session, { isReportByCaller: reported.has(id), documents: documents.get(id) });
  };
}

/** Granted studies with a report: the caller may delete such a report only if they attached it. */
function grantedWithReport(session: Session, rows: StudyListRow[]): string[] {
  return rows.filter(({ study }) => study.hasReport && !owns(session, study)).map(({ study }) => study.id);
}
