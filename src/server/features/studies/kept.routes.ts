import { Hono } from "hono";
import { keptInstancesCall } from "../../../shared/api/kept-instances.ts";
import { keptStudiesCall } from "../../../shared/api/studies.ts";
import type { Deps } from "../../deps.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { validate } from "../../http/validate.ts";
import { FairTurns } from "../../runtime/fair-turns.ts";
import { listKeptInstances } from "./list-kept-instances.ts";
import { studyAmbiguous, studyNotFound } from "./studies.errors.ts";
import { listOwnStudies } from "./studies.repo.ts";

const describe = describeIn("Studies");

/** The store is asked for the volumes of so many studies at once, one study of each account. */
const LOOKING = { turns: 4, turnsPerAccount: 1 };

/** What an account keeps already, asked before an upload. */
export function createKeptRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();
  const looking = new FairTurns(LOOKING);

  routes.post(
    keptStudiesCall.path,
    guard({ subscription: "own", scope: "api" }),
    describe(keptStudiesCall, {
      summary: "Ask which studies one keeps already",
      details: "Before an upload: of one's own account alone, at most 200 Study Instance UIDs.",
    }),
    validate("json", keptStudiesCall.body),
    async (c) => {
      const { studyInstanceUIDs } = c.req.valid("json");
      return c.json(await listOwnStudies(deps.db, c.get("session").userId, studyInstanceUIDs));
    },
  );

  routes.get(
    keptInstancesCall.path,
    guard({ subscription: "own", scope: "api" }),
    describe(keptInstancesCall, {
      summary: "List the files that a study of one's own keeps",
      details:
        "Before an upload, to send only what is missing. At most 20,000. What is damaged is listed apart, until it is sent again.",
      problems: [studyNotFound, studyAmbiguous],
    }),
    async (c) =>
      c.json(await listKeptInstances({ ...deps, looking }, c.get("session"), c.req.param("study"))),
  );

  return routes;
}
