import { Hono } from "hono";
import * as z from "zod/mini";
import type { Deps } from "../../deps.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { validate } from "../../http/validate.ts";
import { issueViewerToken } from "./viewer-token.ts";

const querySchema = z.object({ data: z.string().check(z.maxLength(8192)) });

export function createViewerTokenRoutes(deps: Deps, guard: Guard) {
  return new Hono<HttpEnv>().get(
    "/generate-token",
    guard({ subscription: "viewing" }),
    validate("query", querySchema),
    async (c) => {
      const input = { data: c.req.valid("query").data, locale: c.get("locale") };
      c.header("Cache-Control", "no-store");
      return c.json(await issueViewerToken(deps, c.get("session"), input, originOf(c)));
    },
  );
}
