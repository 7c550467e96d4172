import { Hono } from "hono";
import { createLinkCall, endLinkCall, listLinksCall, listOpeningsCall } from "../../../shared/api/links.ts";
import type { Deps } from "../../deps.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { validate } from "../../http/validate.ts";
import { studyAmbiguous, studyNotFound, studyNotOwner } from "../studies/studies.errors.ts";
import { createLink } from "./create-link.ts";
import { endLink } from "./end-link.ts";
import { linkNotFound, linkOfOneOwner, tooManyLinks } from "./links.errors.ts";
import { readLinks, readOpenings } from "./read-links.ts";

const describe = describeIn("Links");

/** Links to studies, for the studies' owner and admins. */
export function createLinksRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.post(
    createLinkCall.path,
    guard({ subscription: "own", scope: "api" }),
    describe(createLinkCall, {
      summary: "Make a link to one's own studies",
      status: 201,
      details:
        "Valid for 7 days, at most 365. The secret in `url` and the passcode are in no other answer: the server keeps only their hashes.",
      problems: [studyNotFound, studyAmbiguous, studyNotOwner, linkOfOneOwner, tooManyLinks],
    }),
    validate("json", createLinkCall.body),
    async (c) => {
      const input = { ...c.req.valid("json"), locale: c.get("locale") };
      return c.json(await createLink(deps, c.get("session"), input, originOf(c)), 201);
    },
  );

  routes.get(
    listLinksCall.path,
    guard({ scope: "api" }),
    describe(listLinksCall, {
      summary: "List one's own links",
      details:
        "Newest first, at most 1,000, before those that are over all that still open something; with `study`, those that show it. Links that are over stay listed for 90 days. Admins see the links of all accounts.",
      problems: [studyNotFound, studyAmbiguous, studyNotOwner],
    }),
    validate("query", listLinksCall.query),
    async (c) => c.json(await readLinks(deps, c.get("session"), c.req.valid("query").study)),
  );

  routes.get(
    listOpeningsCall.path,
    guard({ scope: "api" }),
    describe(listOpeningsCall, {
      summary: "List the openings of a link",
      details: "The newest 500.",
      problems: [linkNotFound],
    }),
    async (c) => c.json(await readOpenings(deps, c.get("session"), c.req.param("id"))),
  );

  routes.delete(
    endLinkCall.path,
    guard({ scope: "api" }),
    describe(endLinkCall, {
      summary: "End a link",
      status: 204,
      details: "An open visit ends with it at its next frame. A second time it is 204 again.",
      problems: [linkNotFound],
    }),
    async (c) => {
      await endLink(deps, c.get("session"), c.req.param("id"), originOf(c));
      return c.body(null, 204);
    },
  );

  return routes;
}
