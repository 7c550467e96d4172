import { Hono } from "hono";
import { visitFirstImageFrameCall, visitFirstImageMetadataCall } from "../../../shared/api/first-image.ts";
import {
  keepVisitCall,
  openVisitCall,
  readVisitCall,
  visitDownloadCall,
  visitPictureCall,
  visitReportCall,
  visitSeriesPictureCall,
} from "../../../shared/api/links.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import {
  archiveDamaged,
  heldByAnotherNode,
  notAcceptable,
  notFound,
  rangeNotSatisfiable,
  tooManyRequests,
  versionDiffers,
} from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { validate } from "../../http/validate.ts";
import { createRecheck, whileAllowed } from "../../http/while-allowed.ts";
import { FRAME_MEDIA } from "../dicomweb/describe-dicomweb.ts";
import { reportNotFound } from "../reports/reports.errors.ts";
import { studyNotFound } from "../studies/studies.errors.ts";
import { actionLimitReached } from "../subscriptions/subscriptions.errors.ts";
import { answerThumbnail } from "../thumbnails/answer-thumbnail.ts";
import { findSeriesThumbnail, findStudyThumbnail } from "../thumbnails/thumbnails.repo.ts";
import { firstImageFrame, firstImageMetadata } from "../viewer/first-image.ts";
import { keepVisit } from "./keep-visit.ts";
import { linkNotAllowed, linkNotFound, linkPasscode, visitOver } from "./links.errors.ts";
import { openVisit } from "./open-visit.ts";
import {
  downloadVisitedStudy,
  findVisitedStudy,
  openVisitedReport,
  openVisitedStudy,
} from "./open-visited-study.ts";
import { presentVisit } from "./present-visit.ts";
import { visitOriginOf } from "./visit-origin.ts";
import { resolveVisit } from "./visit-token.ts";
import { listStudiesOfLink } from "./visits.repo.ts";

const describe = describeIn("Links");
const params = { token: "Of `POST /api/visits`." };
const pictures = ["image/webp", "image/png", "image/jpeg"] as const;

/** What a link opens, for anybody who has it. The routes are public: each looks at the token's link. */
export function createVisitsRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();
  const recheckOf = ({ token, reference }: { token: string; reference: string }) =>
    createRecheck(deps.elapsedMs, () => findVisitedStudy(deps, token, reference));

  routes.post(
    openVisitCall.path,
    guard("public"),
    describe(openVisitCall, {
      summary: "Open a link",
      details:
        "Counts as one opening. `studies` are those of the link that its account still keeps, and `studiesRemoved` says how many others there were; when the last one is deleted, the link ends. The same `attempt` within ten minutes, after an answer that did not arrive, is the same opening. `token` stands in the place of a viewer token in `/dicomweb/t/{token}`. `link.not_found` is the one answer for a link that is unknown, ended, expired or used up, and for a wrong secret. `link.passcode` also names the owner (a first name and an initial) and `triesLeft`; the tenth wrong passcode ends the link.",
      problems: [linkNotFound, linkPasscode, tooManyRequests],
    }),
    validate("json", openVisitCall.body),
    async (c) => c.json(await openVisit(deps, c.req.valid("json"), visitOriginOf(c))),
  );

  routes.get(
    readVisitCall.path,
    guard("public"),
    describe(readVisitCall, {
      summary: "Read a visit again",
      details: "Not another opening. `studies` lacks what was deleted meanwhile.",
      params,
      problems: [visitOver],
    }),
    async (c) => {
      const token = c.req.param("token");
      const { link } = await resolveVisit(deps, token);
      const studies = await listStudiesOfLink(deps.db, link.id);
      // As for `POST /api/visits`: a link that shows nothing any more is over.
      if (studies.length === 0) throw new AppError(visitOver);
      return c.json(await presentVisit(deps, { token, link, studies }));
    },
  );

  routes.get(
    visitReportCall.path,
    guard("public"),
    describe(visitReportCall, {
      summary: "Read the report of a study of a visit",
      params,
      media: ["application/pdf"],
      problems: [visitOver, studyNotFound, linkNotAllowed, reportNotFound, archiveDamaged],
    }),
    async (c) => {
      const named = { token: c.req.param("token"), reference: c.req.param("study") };
      const asked = { ...named, request: c.req.raw };
      return whileAllowed(c, await openVisitedReport(deps, asked, visitOriginOf(c)), recheckOf(named));
    },
  );

  routes.get(
    visitDownloadCall.path,
    guard("public"),
    describe(visitDownloadCall, {
      summary: "Download a study of a visit as ZIP",
      details:
        "If the link allows it. Takes Range and If-Range, and no `as`. One action of the owner's month, once a day for a study of a link.",
      params,
      media: ["application/zip"],
      also: { 206: "A range of it.", 304: "What the caller has is still good (If-None-Match)." },
      problems: [
        visitOver,
        studyNotFound,
        linkNotAllowed,
        actionLimitReached,
        rangeNotSatisfiable,
        versionDiffers,
        archiveDamaged,
        heldByAnotherNode,
      ],
    }),
    validate("query", visitDownloadCall.query),
    async (c) => {
      const named = { token: c.req.param("token"), reference: c.req.param("study") };
      const recheck = recheckOf(named);
      const asked = { ...named, recheck };
      return whileAllowed(c, await downloadVisitedStudy(deps, c.req.raw, asked, visitOriginOf(c)), recheck);
    },
  );

  routes.post(
    keepVisitCall.path,
    guard({ subscription: "viewing" }),
    describe(keepVisitCall, {
      summary: "Give one's own account access to the studies of a visit",
      details:
        "As if the owner had shared them with it, so the access outlives the link and the owner can take it away. Only where the link allows all that such access does: the report, and for an account of role `user` the download.",
      params,
      problems: [visitOver, linkNotAllowed],
    }),
    async (c) => {
      await keepVisit(deps, c.get("session"), c.req.param("token"), originOf(c));
      return c.json({ kept: true });
    },
  );

  routes.get(
    visitPictureCall.path,
    guard("public"),
    describe(visitPictureCall, {
      summary: "Read the small picture of a study of a visit",
      params,
      media: pictures,
      also: { 204: "There is no picture, or none yet." },
      problems: [visitOver, studyNotFound],
    }),
    validate("query", visitPictureCall.query),
    async (c) => {
      const { study } = await findVisitedStudy(deps, c.req.param("token"), c.req.param("study"));
      const { size } = c.req.valid("query");
      const found = await findStudyThumbnail(deps.db, study.id, { isLarge: size === "512" });
      return await answerThumbnail(deps, study.id, found);
    },
  );

  routes.get(
    visitSeriesPictureCall.path,
    guard("public"),
    describe(visitSeriesPictureCall, {
      summary: "Read the small picture of a series of a visit",
      params,
      media: pictures,
      also: { 204: "There is no picture, or none yet." },
      problems: [visitOver, studyNotFound, notFound],
    }),
    async (c) => {
      const { study } = await findVisitedStudy(deps, c.req.param("token"), c.req.param("study"));
      const reference = c.req.param("series");
      const found = await findSeriesThumbnail(deps.db, study.id, reference);
      if (found === "unknown") throw new AppError(notFound);
      return await answerThumbnail(deps, study.id, found);
    },
  );

  routes.get(
    visitFirstImageMetadataCall.path,
    guard("public"),
    describe(visitFirstImageMetadataCall, {
      summary: "Read the metadata of the image that a viewer begins with, of a study of a visit",
      details: "DICOM JSON: an array of one. It is the middle image of the largest series.",
      params,
      media: ["application/dicom+json"],
      also: { 204: "The study has no image with one frame to begin with." },
      problems: [visitOver, studyNotFound],
    }),
    async (c) => {
      const visible = await openVisitedStudy(deps, c.req.param("token"), c.req.param("study"));
      return firstImageMetadata(deps, visible, c.req.header("accept-encoding"));
    },
  );

  routes.get(
    visitFirstImageFrameCall.path,
    guard("public"),
    describe(visitFirstImageFrameCall, {
      summary: "Read the frame of the image that a viewer begins with, of a study of a visit",
      details:
        "As `/frames/1` of its instance, in the syntaxes that `Accept` names there; `Content-Location` says which instance it is.",
      params,
      media: FRAME_MEDIA,
      also: { 204: "The study has no image with one frame to begin with." },
      problems: [visitOver, studyNotFound, notAcceptable],
    }),
    async (c) => {
      const { token, study: reference } = c.req.param();
      const visible = await openVisitedStudy(deps, token, reference);
      deps.warmer.warm([visible.study.id]);
      return firstImageFrame(deps, visible, {
        accept: c.req.header("accept"),
        base: `${deps.config.viewerOrigin ?? ""}/dicomweb/t/${token}`,
        whileVisible: (response) => whileAllowed(c, response, recheckOf({ token, reference })),
      });
    },
  );

  return routes;
}
