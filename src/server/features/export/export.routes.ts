import { Hono } from "hono";
import { activityCall } from "../../../shared/api/activity.ts";
import { exportTicketCall } from "../../../shared/api/users.ts";
import type { Deps } from "../../deps.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import { tooManyRequests, unauthenticated } from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { begun, holding, streamOf } from "../../http/stream-of.ts";
import { validate } from "../../http/validate.ts";
import { createRecheck, streamWhileAllowed } from "../../http/while-allowed.ts";
import { tooManyReads } from "../dicomweb/dicomweb.errors.ts";
import { Places } from "../dicomweb/turns/places.ts";
import { readmitSession } from "../membership/find-session.ts";
import { exportTooLarge } from "./export.errors.ts";
import { exportAccount } from "./export-account.ts";
import type { ExportDeps } from "./export-deps.ts";
import {
  exportFileName,
  findExporter,
  issueExportTicket,
  redeemExportTicket,
  uncountedIfBroken,
} from "./export-ticket.ts";
import { readActivity } from "./read-activity.ts";

const describe = describeIn("Account");
/**
 * Exports that are sent at once, each of which holds the plan of an exam and the directory of its ZIP. A slow line must not lose an
 * export that nobody can go on with, so that the slowest gives way only after a while.
 */
const PLACES = { all: 4, own: 2, safeMs: 10 * 60_000, retryAfterSeconds: 60 };

export function createExportRoutes(deps: Deps & ExportDeps, guard: Guard) {
  const routes = new Hono<HttpEnv>();
  const places = new Places(PLACES);

  routes.post(
    exportTicketCall.path,
    guard({}),
    describe(exportTicketCall, {
      summary: "Make a link under which a browser downloads all data of the account",
      status: 201,
      details: "Good for five minutes; five a day.",
      problems: [exportTooLarge, tooManyRequests, tooManyReads],
    }),
    async (c) => c.json(await issueExportTicket(deps, c.get("session"), places, originOf(c)), 201),
  );

  routes.get(
    activityCall.path,
    guard({}),
    describe(activityCall, {
      summary: "Read what was done in the account, and by its user elsewhere",
      details: "Newest first, 50 at once; `before` is the `id` of the last one of the page before.",
    }),
    validate("query", activityCall.query),
    async (c) => c.json(await readActivity(deps, c.get("session").userId, c.req.valid("query").before)),
  );

  routes.get(
    "/api/exports/:token",
    guard("public"),
    describe(
      {},
      {
        summary: "Download all data of an account with a ticket",
        params: { token: "Of the `url` of an export ticket." },
        media: ["application/zip"],
        problems: [unauthenticated, tooManyRequests, tooManyReads],
      },
    ),
    async (c) => {
      const headers = {
        "Content-Type": "application/zip",
        "Content-Disposition": `attachment; filename="${exportFileName(deps.clock.now())}"`,
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "Cache-Control": "private, no-store",
      };
      const token = c.req.param("token");
      if (c.req.method === "HEAD") {
        await findExporter(deps, token);
        return new Response(null, { headers });
      }
      const { session, place } = await redeemExportTicket(deps, token, places);
      const recheck = createRecheck(deps.elapsedMs, () => readmitSession(deps, session));
      const { userId } = session;
      const zip = streamOf(uncountedIfBroken(deps, userId, exportAccount(deps, userId, c.get("locale"))));
      try {
        const first = await begun(streamWhileAllowed(zip, recheck), c.req.raw.signal);
        return new Response(holding(place, first), { headers });
      } catch (error) {
        place[Symbol.dispose]();
        throw error;
      }
    },
  );

  return routes;
}
