import { Hono } from "hono";
import * as z from "zod/mini";
import { emailOnlySchema } from "../../../shared/api/account-fields.ts";
import { type StudyStatus, studyListQuerySchema } from "../../../shared/api/studies.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { validate } from "../../http/validate.ts";
import { findReportsBy } from "../reports/reports.repo.ts";
import { pageOfStudies } from "../study-list/list-studies.ts";
import { presentSeries, presentStudy, shownStatus } from "../study-list/present-study.ts";
import { findListedStudy, type StudyListRow } from "../study-list/study-list.repo.ts";
import { findStudy } from "./access/find-study.ts";
import { grantAccess, readGrants, revokeAccess } from "./access/grant-access.ts";
import { shareStudy } from "./access/share-study.ts";
import { owns } from "./access/study-access.ts";
import { deleteStudy } from "./delete-study.ts";
import { answerDownload } from "./download/download-body.ts";
import { findStudyFile } from "./download/download-study.ts";
import { issueDownloadTicket, redeemDownloadTicket } from "./download/download-ticket.ts";
import { readStudyAudit } from "./read-study-audit.ts";
import { retryTransfer } from "./retry-transfer.ts";
import { studyNotFound } from "./studies.errors.ts";
import { countOwnStudies, listSeries } from "./studies.repo.ts";

const assignSchema = z.object({ userId: z.string().check(z.uuid()) });

const viewing = { subscription: "viewing" } as const;

export function createStudiesRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.get("/studies", guard(viewing), validate("query", studyListQuerySchema), async (c) => {
    const session = c.get("session");
    const query = c.req.valid("query");
    const { rows, total } = await pageOfStudies(deps, session, query);
    const reported = await findReportsBy(deps.db, session.userId, grantedWithReport(session, rows));
    c.header("X-Total-Count", String(total));
    c.header("Cache-Control", "private, no-store");
    return c.json(rows.map((row) => presentStudy(row, session, reported.has(row.study.id))));
  });

  routes.get("/users/exam-count", guard({}), async (c) =>
    c.json({ count: await countOwnStudies(deps.db, c.get("session").userId) }),
  );

  routes.get("/studies/:study", guard(viewing), async (c) => {
    const session = c.get("session");
    const { id } = await findStudy(deps.db, session, c.req.param("study"));
    const row = await findListedStudy(deps.db, id);
    if (!row) throw new AppError(studyNotFound);
    const reported = await findReportsBy(deps.db, session.userId, grantedWithReport(session, [row]));
    c.header("Cache-Control", "private, no-store");
    return c.json(presentStudy(row, session, reported.has(id)));
  });

  routes.get("/studies/:study/status", guard(viewing), async (c) => {
    const study = await findStudy(deps.db, c.get("session"), c.req.param("study"));
    const status = shownStatus(study);
    return c.json({ status, isReady: status === "b2" } satisfies StudyStatus);
  });

  routes.get("/studies/:study/series", guard(viewing), async (c) => {
    const study = await findStudy(deps.db, c.get("session"), c.req.param("study"));
    const rows = await listSeries(deps.db, study.id);
    return c.json(rows.map(presentSeries));
  });

  routes.post("/studies/:study/assign", guard(viewing), validate("json", assignSchema), async (c) => {
    const input = { reference: c.req.param("study"), userId: c.req.valid("json").userId };
    await grantAccess(deps, c.get("session"), input, originOf(c));
    return c.json({ assigned: true });
  });

  routes.post("/studies/:study/share", guard({}), validate("json", emailOnlySchema), async (c) => {
    const input = { reference: c.req.param("study"), email: c.req.valid("json").email };
    return c.json(await shareStudy(deps, c.get("session"), input, originOf(c)), 201);
  });

  routes.get("/studies/:study/audit", guard({}), async (c) =>
    c.json(await readStudyAudit(deps, c.get("session"), c.req.param("study"))),
  );

  routes.get("/studies/:study/grants", guard({}), async (c) => {
    const rows = await readGrants(deps, c.get("session"), c.req.param("study"));
    return c.json(rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() })));
  });

  routes.delete("/studies/:study/grants/:userId{[0-9a-fA-F-]{36}}", guard({}), async (c) => {
    const input = { reference: c.req.param("study"), userId: c.req.param("userId") };
    await revokeAccess(deps, c.get("session"), input, originOf(c));
    return c.body(null, 204);
  });

  routes.post("/studies/:study/retry-transfer", guard({}), async (c) => {
    await retryTransfer(deps, c.get("session"), c.req.param("study"));
    return c.body(null, 202);
  });

  routes.get("/studies/:study/download", guard(viewing), async (c) => {
    const session = c.get("session");
    const file = await findStudyFile(deps, session, c.req.param("study"));
    return answerDownload(deps, c.req.raw, session, file, originOf(c));
  });

  routes.post("/studies/:study/download-ticket", guard(viewing), async (c) => {
    return c.json(await issueDownloadTicket(deps, c.get("session"), c.req.param("study")), 201);
  });

  routes.get("/downloads/:token", guard("public"), async (c) => {
    const { session, file } = await redeemDownloadTicket(deps, c.req.param("token"));
    return answerDownload(deps, c.req.raw, session, file, originOf(c));
  });

  routes.delete("/studies/:study", guard({ subscription: "own" }), async (c) => {
    await deleteStudy(deps, c.get("session"), c.req.param("study"), originOf(c));
    return c.json({ deleted: true });
  });

  return routes;
}

/** Studies whose report only who attached it may delete, besides their owner. */
function grantedWithReport(session: Session, rows: StudyListRow[]): string[] {
  return rows.filter(({ study }) => study.hasReport && !owns(session, study)).map(({ study }) => study.id);
}
