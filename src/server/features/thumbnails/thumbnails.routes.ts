import { Hono } from "hono";
import { seriesPictureCall, studyPictureCall } from "../../../shared/api/studies.ts";
import { isUuid } from "../../../shared/uuid.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import { notFound } from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { validate } from "../../http/validate.ts";
import { findStudy } from "../studies/access/find-study.ts";
import { studyAmbiguous, studyNotFound } from "../studies/studies.errors.ts";
import { findSeriesThumbnail, findStudyThumbnail, type Thumbnail } from "./thumbnails.repo.ts";

const describe = describeIn("Studies");
const viewing = { subscription: "viewing" } as const;

/** Small pictures of studies and series, for callers who may see the study. */
export function createThumbnailsRoutes({ db }: Pick<Deps, "db">, guard: Guard) {
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
      return answer(await findStudyThumbnail(db, study.id));
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
      const reference = c.req.param("series");
      const column = isUuid(reference) ? "id" : "seriesInstanceUID";
      const thumbnail = await findSeriesThumbnail(db, study.id, column, reference);
      if (thumbnail === "unknown") throw new AppError(notFound);
      return answer(thumbnail);
    },
  );

  return routes;
}

/** Answers 204 if there is no picture (yet): that is not an error, and browsers must not report one. */
function answer(thumbnail: Thumbnail | undefined): Response {
  if (!thumbnail)
    return new Response(null, { status: 204, headers: { "Cache-Control": "private, no-store" } });
  return new Response(Uint8Array.from(thumbnail.image), {
    headers: {
      "Content-Type": thumbnail.contentType,
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "private, max-age=3600",
      // Several people may share a browser, so an answer cached in one session must not serve another.
      Vary: "Authorization",
    },
  });
}
