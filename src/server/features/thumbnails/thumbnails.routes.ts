import { Hono } from "hono";
import { isUuid } from "../../../shared/uuid.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { findStudy } from "../studies/find-study.ts";
import { noThumbnail } from "./thumbnails.errors.ts";
import { findSeriesThumbnail, findStudyThumbnail, type Thumbnail } from "./thumbnails.repo.ts";

const viewing = { subscription: "viewing" } as const;

/** Small pictures of studies and series, for who may see the study. */
export function createThumbnailsRoutes({ db }: Pick<Deps, "db">, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.get("/studies/:study/thumbnail", guard(viewing), async (c) => {
    const study = await findStudy(db, c.get("session"), c.req.param("study"));
    return answer(await findStudyThumbnail(db, study.id));
  });

  routes.get("/studies/:study/series/:series/thumbnail", guard(viewing), async (c) => {
    const study = await findStudy(db, c.get("session"), c.req.param("study"));
    const reference = c.req.param("series");
    const column = isUuid(reference) ? "id" : "seriesInstanceUID";
    return answer(await findSeriesThumbnail(db, study.id, column, reference));
  });

  return routes;
}

function answer(thumbnail: Thumbnail | undefined): Response {
  if (!thumbnail) throw new AppError(noThumbnail);
  return new Response(Uint8Array.from(thumbnail.image), {
    headers: {
      "Content-Type": thumbnail.contentType,
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "private, max-age=3600",
      // One browser may serve several people: what one session was given answers no other.
      Vary: "Authorization",
    },
  });
}
