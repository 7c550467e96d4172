import { Hono } from "hono";
import {
  accessTokensCall,
  endAccessTokenCall,
  makeAccessTokenCall,
} from "../../../../shared/api/access-tokens.ts";
import type { Deps } from "../../../deps.ts";
import { describeIn } from "../../../http/describe.ts";
import type { Guard } from "../../../http/guard.ts";
import type { HttpEnv } from "../../../http/http-context.ts";
import { originOf } from "../../../http/request-origin.ts";
import { validate } from "../../../http/validate.ts";
import { accessTokenNotFound, tooManyAccessTokens } from "./access-tokens.errors.ts";
import { listAccessTokens } from "./access-tokens.repo.ts";
import { endAccessToken } from "./end-access-token.ts";
import { makeAccessToken, presentAccessToken } from "./make-access-token.ts";

const describe = describeIn("Access tokens");

/** Tokens for programs: their owner makes, sees and ends them, in a session. */
export function createAccessTokensRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.get(
    accessTokensCall.path,
    guard({}),
    describe(accessTokensCall, { summary: "List the account's access tokens" }),
    async (c) => c.json((await listAccessTokens(deps.db, c.get("session").userId)).map(presentAccessToken)),
  );

  routes.post(
    makeAccessTokenCall.path,
    guard({}),
    describe(makeAccessTokenCall, {
      summary: "Make an access token",
      status: 201,
      details:
        "`token` is in this answer only. It ends at `expiresAt`, with `DELETE`, with the account, when the account is no longer authorised, and when its password changes.",
      problems: [tooManyAccessTokens],
    }),
    validate("json", makeAccessTokenCall.body),
    async (c) => {
      const input = { ...c.req.valid("json"), locale: c.get("locale") };
      c.header("Cache-Control", "no-store");
      return c.json(await makeAccessToken(deps, c.get("session"), input, originOf(c)), 201);
    },
  );

  routes.delete(
    endAccessTokenCall.path,
    guard({}),
    describe(endAccessTokenCall, {
      summary: "End an access token at once",
      details: "A second time it is 404.",
      problems: [accessTokenNotFound],
    }),
    async (c) => {
      await endAccessToken(deps, c.get("session"), c.req.param("id"), originOf(c));
      return c.json({ ended: true });
    },
  );

  return routes;
}
