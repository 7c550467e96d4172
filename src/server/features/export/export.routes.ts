import { Hono } from "hono";
import type { Deps } from "../../deps.ts";
import type { Guard } from "../../http/guard.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { streamOf } from "../../http/stream-of.ts";
import { exportAccount } from "./export-account.ts";
import { issueExportTicket, redeemExportTicket } from "./export-ticket.ts";

export function createExportRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.post("/users/export-ticket", guard({}), async (c) =>
    c.json(await issueExportTicket(deps, c.get("session"), originOf(c)), 201),
  );

  routes.get("/exports/:token", guard("public"), async (c) => {
    const userId = await redeemExportTicket(deps, c.req.param("token"));
    return new Response(streamOf(exportAccount(deps, userId, c.get("locale"))), {
      headers: {
        "Content-Type": "application/zip",
        "Content-Disposition": 'attachment; filename="exameteca.zip"',
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "Cache-Control": "private, no-store",
      },
    });
  });

  return routes;
}
