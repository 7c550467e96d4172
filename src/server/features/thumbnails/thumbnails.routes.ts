import { Hono } from "hono";
import { seriesPictureCall, studyPictureCall } from "../../../shared/api/studies.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import { notFound } from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { validate } from "../../http/validate.ts";
import { findStudy } from "../studies/access/find-study.ts";
import { studyAmbiguous, studyNotFound } from "../studies/studies.errors.ts";
import { answerThumbnail } from "./answer-thumbnail.ts";
import { findSeriesThumbnail, findStudyThumbnail } from "./thumbnails.repo.ts";

const describe = describeIn("Studies");
const viewing = { subscription: "viewing", scope: "api" } as const;

/** Small pictures of studies and series, for callers who may see the study. */
export function createThumbnailsRoutes(deps: Pick<Deps, "db" | "jobs" | "log">, guard: Guard) {
  const { db } = deps;
  const routes = new Hono<HttpEnv>();

  routes.get(
    studyPictureCall.path,
    guard(viewing),
    describe(studyPictureCall, {
      summary: "Read the small picture of a study",
      media: ["image/webp", "image/png", "image/jpeg"],
      also: { 204: "There is no picture, or none yet." },
      problems: [studyNotFound, studyAmbiguous],
    }),
    validate("query", studyPictureCall.query),
    async (c) => {
      const study = await findStudy(db, c.get("session"), c.req.param("study"));
      const { size } = c.req.valid("query");
      const found = await findStudyThumbnail(db, study.id, { isLarge: size === "512" });
      return await answerThumbnail(deps, study.id, found);
    },
  );

  routes.get(
    seriesPictureCall.path,
    guard(viewing),
    describe(seriesPictureCall, {
      summary: "Read the small picture of a series",
      media: ["image/webp", "image/png", "image/jpeg"],
      also: { 204: "There is no picture, or none yet." },
      problems: [studyNotFound, studyAmbiguous, notFound],
    }),
    validate("query", seriesPictureCall.query),
    async (c) => {
      const study = await findStudy(db, c.get("session"), c.req.param("study"));
      const found = await findSeriesThumbnail(db, study.id, c.req.param("series"));
      if (found === "unknown") throw new AppError(notFound);
      return await answerThumbnail(deps, study.id, found);
    },
  );

  return routes;
}
