import { Hono } from "hono";
import {
  integrityCall,
  listFindingsCall,
  recheckFindingCall,
  restoreFindingCall,
} from "../../../shared/api/integrity.ts";
import type { Deps } from "../../deps.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { validate, validateId } from "../../http/validate.ts";
import { findingClosed, findingNotFound } from "./integrity.errors.ts";
import { readFindings } from "./read-findings.ts";
import { readIntegrity } from "./read-integrity.ts";
import { recheckFinding, restoreFinding } from "./settle-finding.ts";

const admin = { roles: ["admin"] } as const;
const describe = describeIn("Operations");
const problems = [findingNotFound, findingClosed];

/** What reading the archive again found, and what an admin can have done about it. */
export function createIntegrityRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.get(
    integrityCall.path,
    guard(admin),
    describe(integrityCall, { summary: "Read how far the stored bytes have been read again" }),
    async (c) => c.json(await readIntegrity(deps)),
  );

  routes.get(
    listFindingsCall.path,
    guard(admin),
    describe(listFindingsCall, {
      summary: "List damaged and missing objects",
      details: "Newest first: those that are open, or those that were settled within two years.",
    }),
    validate("query", listFindingsCall.query),
    async (c) => {
      const { state, limit, offset } = c.req.valid("query");
      return c.json(await readFindings(deps, c.get("session"), { isOpen: state === "open", limit, offset }));
    },
  );

  routes.post(
    recheckFindingCall.path,
    guard(admin),
    describe(recheckFindingCall, { summary: "Read the exam of a finding again now", problems }),
    validateId(findingNotFound),
    async (c) => {
      await recheckFinding(deps, c.req.valid("param").id);
      return c.json({ started: true });
    },
  );

  routes.post(
    restoreFindingCall.path,
    guard(admin),
    describe(restoreFindingCall, {
      summary: "Put another copy of an object back, where a node has one",
      problems,
    }),
    validateId(findingNotFound),
    async (c) => {
      await restoreFinding(deps, c.req.valid("param").id);
      return c.json({ started: true });
    },
  );

  return routes;
}
