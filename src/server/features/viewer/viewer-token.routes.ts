import { Hono } from "hono";
import { viewerTokenCall } from "../../../shared/api/studies.ts";
import type { Deps } from "../../deps.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { validate } from "../../http/validate.ts";
import { studyAmbiguous, studyNotFound } from "../studies/studies.errors.ts";
import { issueViewerToken } from "./viewer-token.ts";

const describe = describeIn("Viewer");

export function createViewerTokenRoutes(deps: Deps, guard: Guard) {
  return new Hono<HttpEnv>().get(
    viewerTokenCall.path,
    guard({ subscription: "viewing" }),
    describe(viewerTokenCall, {
      summary: "Make a token that opens studies in the viewer",
      details:
        "`data` is base64 or base64url of JSON: `[{ userId, studyInstanceUID }]`, at most 16, `id` in the place of `studyInstanceUID` if wanted. The token opens just those studies for two hours, and ends with the session.",
      problems: [studyNotFound, studyAmbiguous],
    }),
    validate("query", viewerTokenCall.query),
    async (c) => {
      const input = { data: c.req.valid("query").data, locale: c.get("locale") };
      c.header("Cache-Control", "no-store");
      return c.json(await issueViewerToken(deps, c.get("session"), input, originOf(c)));
    },
  );
}
