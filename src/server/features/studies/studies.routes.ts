import { type Context, Hono } from "hono";
import { studiesDownloadTicketCall } from "../../../shared/api/downloads.ts";
import {
  assignStudyCall,
  deleteStudyCall,
  downloadStudyCall,
  downloadTicketCall,
  listGrantsCall,
  listSeriesCall,
  retryTransferCall,
  revokeGrantCall,
  type StudyStatus,
  shareStudyCall,
  studyStatusCall,
} from "../../../shared/api/studies.ts";
import { studyAuditCall } from "../../../shared/api/study-audit.ts";
import { examCountCall } from "../../../shared/api/users.ts";
import type { Locale } from "../../../shared/locale.ts";
import { isUuid } from "../../../shared/uuid.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import {
  archiveDamaged,
  heldByAnotherNode,
  notFound,
  rangeNotSatisfiable,
  tooManyRequests,
  unauthenticated,
  versionDiffers,
} from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { validate } from "../../http/validate.ts";
import { whileAllowed } from "../../http/while-allowed.ts";
import { userNotFound } from "../accounts/users/users.errors.ts";
import { readmitSession } from "../membership/find-session.ts";
import { actionLimitReached } from "../subscriptions/subscriptions.errors.ts";
import { findStudy } from "./access/find-study.ts";
import { grantAccess, readGrants, revokeAccess } from "./access/grant-access.ts";
import { shareStudy } from "./access/share-study.ts";
import { deleteStudy } from "./delete-study.ts";
import { answerDownload, type DownloadRight } from "./download/download-body.ts";
import { type DownloadCaller, downloadRightOf } from "./download/download-right.ts";
import { findStudyFile, type StudyFile } from "./download/download-study.ts";
import { issueDownloadTicket, issueStudiesTicket, redeemDownloadTicket } from "./download/download-ticket.ts";
import { createKeptRoutes } from "./kept.routes.ts";
import { presentSeries, shownStatus } from "./present-series.ts";
import { readStudyAudit } from "./read-study-audit.ts";
import { retryTransfer } from "./retry-transfer.ts";
import {
  doctorNotFound,
  downloadTooLarge,
  studyAmbiguous,
  studyNodeGone,
  studyNotFound,
  studyNotOwner,
  studyNotReady,
} from "./studies.errors.ts";
import { countOwnStudies, listSeries } from "./studies.repo.ts";

const describe = describeIn("Studies");
/** One upload may bring a hundred thousand; a list of these would hold everybody else up. */
const MAX_SERIES = 10_000;

const viewing = { subscription: "viewing", scope: "api" } as const;

/** Answers a study as a medium to take along; a higher room knows what belongs on it. */
export type TakeAlong = (
  asked: { caller: Session; locale: Locale; isHead: boolean; signal: AbortSignal },
  file: StudyFile,
  right: DownloadRight,
) => Promise<Response>;

export function createStudiesRoutes(deps: Deps, guard: Guard, takeAlong: TakeAlong) {
  const routes = new Hono<HttpEnv>();
  const download = async (c: Context<HttpEnv>, caller: DownloadCaller, as: "pdi" | undefined) => {
    const { session, file } = caller;
    const right = downloadRightOf(deps, caller, originOf(c));
    if (as === undefined)
      return whileAllowed(c, await answerDownload(deps, c.req.raw, file, right), right.recheck);
    const { method, signal } = c.req.raw;
    const asked = { caller: session, locale: c.get("locale"), isHead: method === "HEAD", signal };
    return await takeAlong(asked, file, right);
  };

  routes.get(
    examCountCall.path,
    guard({ scope: "api" }),
    describe(examCountCall, { summary: "Count one's own studies" }),
    async (c) => c.json({ count: await countOwnStudies(deps.db, c.get("session").userId) }),
  );

  routes.route("/", createKeptRoutes(deps, guard));

  routes.get(
    studyStatusCall.path,
    guard(viewing),
    describe(studyStatusCall, {
      summary: "Read where a study's bytes are",
      details: "`isReady` once they are in the archive store.",
      problems: [studyNotFound, studyAmbiguous],
    }),
    async (c) => {
      const study = await findStudy(deps.db, c.get("session"), c.req.param("study"));
      const status = shownStatus(study);
      return c.json({ status, isReady: status === "b2" } satisfies StudyStatus);
    },
  );

  routes.get(
    listSeriesCall.path,
    guard(viewing),
    describe(listSeriesCall, {
      summary: "List the series of a study",
      details: "By their numbers; the first 10,000.",
      problems: [studyNotFound, studyAmbiguous],
    }),
    async (c) => {
      const study = await findStudy(deps.db, c.get("session"), c.req.param("study"));
      const rows = await listSeries(deps.db, study.id, MAX_SERIES);
      return c.json(rows.map(presentSeries));
    },
  );

  routes.post(
    assignStudyCall.path,
    guard(viewing),
    describe(assignStudyCall, {
      summary: "Let a user see a study, by their id",
      problems: [studyNotFound, studyAmbiguous, studyNotOwner, userNotFound],
    }),
    validate("json", assignStudyCall.body),
    async (c) => {
      const input = { reference: c.req.param("study"), userId: c.req.valid("json").userId };
      await grantAccess(deps, c.get("session"), input, originOf(c));
      return c.json({ assigned: true });
    },
  );

  routes.post(
    shareStudyCall.path,
    guard(viewing),
    describe(shareStudyCall, {
      summary: "Let a doctor see a study, by their e-mail",
      status: 201,
      problems: [studyNotFound, studyAmbiguous, studyNotOwner, doctorNotFound, userNotFound, tooManyRequests],
    }),
    validate("json", shareStudyCall.body),
    async (c) => {
      const input = { reference: c.req.param("study"), ...c.req.valid("json") };
      return c.json(await shareStudy(deps, c.get("session"), input, originOf(c)), 201);
    },
  );

  routes.get(
    studyAuditCall.path,
    guard({ scope: "api" }),
    describe(studyAuditCall, {
      summary: "Read who did what with a study",
      details: "Newest first, at most 200; for its owner and admins.",
      problems: [studyNotFound, studyAmbiguous, studyNotOwner],
    }),
    async (c) => c.json(await readStudyAudit(deps, c.get("session"), c.req.param("study"))),
  );

  routes.get(
    listGrantsCall.path,
    guard({ scope: "api" }),
    describe(listGrantsCall, {
      summary: "List who was let in to a study",
      problems: [studyNotFound, studyAmbiguous, studyNotOwner],
    }),
    async (c) => {
      const rows = await readGrants(deps, c.get("session"), c.req.param("study"));
      return c.json(rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() })));
    },
  );

  routes.delete(
    revokeGrantCall.path,
    guard({ scope: "api" }),
    describe(revokeGrantCall, {
      summary: "Take a grant away",
      status: 204,
      details: "An open viewer ends with it at its next frame. A second time it is 204 again.",
      problems: [studyNotFound, studyAmbiguous, studyNotOwner, notFound],
    }),
    async (c) => {
      const input = { reference: c.req.param("study"), userId: c.req.param("userId") };
      if (!isUuid(input.userId)) throw new AppError(notFound);
      await revokeAccess(deps, c.get("session"), input, originOf(c));
      return c.body(null, 204);
    },
  );

  routes.post(
    retryTransferCall.path,
    guard({ scope: "api" }),
    describe(retryTransferCall, {
      summary: "Try a failed transfer to the archive store again",
      status: 202,
      problems: [studyNotFound, studyAmbiguous, studyNotOwner, studyNodeGone],
    }),
    async (c) => {
      await retryTransfer(deps, c.get("session"), c.req.param("study"));
      return c.body(null, 202);
    },
  );

  routes.get(
    downloadStudyCall.path,
    guard(viewing),
    describe(downloadStudyCall, {
      summary: "Download a study as ZIP",
      details:
        "Takes Range and If-Range; counts as one action of the month when its first byte is sent. With `as=pdi`, a medium to take along (IHE PDI: DICOMDIR, images, laudo, receipt), made while it is sent, without ranges. Of a damaged study it is 500 with `damaged` and `damagedCount`, the files to send again.",
      media: ["application/zip"],
      also: { 206: "A range of it.", 304: "What the caller has is still good (If-None-Match)." },
      problems: [
        studyNotFound,
        studyAmbiguous,
        studyNotReady,
        actionLimitReached,
        rangeNotSatisfiable,
        versionDiffers,
        archiveDamaged,
        heldByAnotherNode,
      ],
    }),
    validate("query", downloadStudyCall.query),
    async (c) => {
      const session = c.get("session");
      const file = await findStudyFile(deps, session, c.req.param("study"));
      const caller = { session, file, readmit: c.get("readmit") };
      return await download(c, caller, c.req.valid("query").as);
    },
  );

  routes.post(
    downloadTicketCall.path,
    guard({ subscription: "viewing" }),
    describe(downloadTicketCall, {
      summary: "Make a link under which a browser downloads a study",
      status: 201,
      details: "Good for five minutes to begin and an hour to resume.",
      problems: [studyNotFound, studyAmbiguous, studyNotReady, actionLimitReached, archiveDamaged],
    }),
    async (c) => {
      return c.json(await issueDownloadTicket(deps, c.get("session"), c.req.param("study")), 201);
    },
  );

  routes.post(
    studiesDownloadTicketCall.path,
    guard({ subscription: "viewing" }),
    describe(studiesDownloadTicketCall, {
      summary: "Make a link under which a browser downloads several studies as one ZIP",
      status: 201,
      details:
        "Good for five minutes to begin and an hour to resume. Each study counts as one action when the first byte is sent.",
      problems: [studyNotFound, downloadTooLarge, archiveDamaged],
    }),
    validate("json", studiesDownloadTicketCall.body),
    async (c) => {
      const { studyIds } = c.req.valid("json");
      return c.json(await issueStudiesTicket(deps, c.get("session"), studyIds, c.get("locale")), 201);
    },
  );

  routes.get(
    "/api/downloads/:token",
    guard("public"),
    describe(
      {},
      {
        summary: "Download studies with a ticket",
        details: "Takes Range and If-Range, or `as=pdi` for one study.",
        params: { token: "Of the `url` of a download ticket." },
        media: ["application/zip"],
        also: { 206: "A range of it.", 304: "What the caller has is still good (If-None-Match)." },
        problems: [
          unauthenticated,
          actionLimitReached,
          rangeNotSatisfiable,
          versionDiffers,
          archiveDamaged,
          heldByAnotherNode,
        ],
      },
    ),
    validate("query", downloadStudyCall.query),
    async (c) => {
      const { session, file } = await redeemDownloadTicket(deps, c.req.param("token"));
      const readmit = () => readmitSession(deps, session);
      return await download(c, { session, file, readmit }, c.req.valid("query").as);
    },
  );

  routes.delete(
    deleteStudyCall.path,
    guard({ subscription: "own", scope: "api" }),
    describe(deleteStudyCall, {
      summary: "Delete a study",
      details: "Counts as one action of the month. A second time it is 404.",
      problems: [studyNotFound, studyAmbiguous, studyNotOwner, actionLimitReached],
    }),
    async (c) => {
      await deleteStudy(deps, c.get("session"), c.req.param("study"), originOf(c));
      return c.json({ deleted: true });
    },
  );

  return routes;
}
