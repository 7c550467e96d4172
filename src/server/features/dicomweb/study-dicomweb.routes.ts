import type { Context } from "hono";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { Guard } from "../../http/guard.ts";
import { forbidden } from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import type { Decoding } from "./decoded/decoding.ts";
import { createDicomwebRoutes } from "./dicomweb.routes.ts";
import {
  assertStillRetrievable,
  assertStillVisible,
  chargeRetrieval,
  openingOf,
  openStudyAsSession,
} from "./open-as-session.ts";

/** DICOMweb within one study, for sessions and access tokens; mounted at `/dicomweb`. */
export function createStudyDicomwebRoutes(deps: Deps, guard: Guard, decoding: Decoding) {
  const sessionOf = (c: Context) => (c as Context<HttpEnv>).get("session");
  return createDicomwebRoutes({
    guard: guard({ subscription: "viewing", scope: "dicomweb:read" }),
    document: {
      room: "DICOMweb",
      retrievals:
        "For the study's owner and admins. A study counts as one action each time, its series and instances as one together within an hour.",
    },
    hasSearch: false,
    baseUrl: `${deps.config.publicUrl}/dicomweb`,
    answersNoContent: true,
    decoding,
    elapsedMs: deps.elapsedMs,
    assertStillVisible: (c) => assertStillVisible(deps, c as Context<HttpEnv>),
    assertStillRetrievable: (c) => assertStillRetrievable(deps, c as Context<HttpEnv>),
    resolve: (c) => openStudyAsSession(deps, sessionOf(c), c.req.param("study") ?? "", openingOf(c)),
    assertRetrievable(_retrieval, { isDownloadable }) {
      if (!isDownloadable) throw new AppError(forbidden);
    },
    async allowRetrieval(c, retrieval) {
      if (c.req.method === "HEAD") return;
      await chargeRetrieval(deps, sessionOf(c), retrieval, originOf(c));
    },
  });
}
